import type { CounterId } from "../../counter/counter_id.ts";
import { type Day, type Held, yearsSince } from "../../counter/days.ts";
import { type HistoryQuestion, MAX_HITS, type Outcome } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { ledgerKey, yearKey } from "./ledger_key.ts";
import { heldOf, parseLedger, parseYear } from "./ledger_text.ts";
import type { RedisCalls } from "./redis_calls.ts";
import type { StoreLink } from "./connection/link.ts";
import { isForbidden, problemOf, type Reply } from "./connection/reply.ts";

/** Options of {@linkcode RedisReading}. */
export interface RedisReadingOptions {
  calls: RedisCalls;
  /** Tells whether keys of several counters may be asked for in one command: it may not know before it is connected. */
  link: Pick<StoreLink, "multiKeyAcrossSlots">;
  /** What stands before the id in a key. */
  prefix: string;
  /** Called where the days of a counter are out of bounds. */
  onDamaged(id: CounterId): void;
}

/** A counter whose days are asked for, and the years that have to be read with its ledger. */
interface Question {
  readonly place: number;
  readonly id: CounterId;
  readonly key: string;
  readonly since: Day;
  readonly years: readonly number[];
}

/** What Redis shows under a key: null also where that is no text. */
type Shown = string | null;

/** Reads counters and their days. */
export class RedisReading {
  readonly #options: RedisReadingOptions;

  constructor(options: RedisReadingOptions) {
    this.#options = options;
  }

  /** See {@linkcode CounterStore.read}. */
  async read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    const keys = ids.map((id) => this.#options.prefix + id);
    const shown = await this.#shown(keys);
    const hidden = keys.filter((_, index) => typeof shown[index] !== "string");
    const outcomes = await this.#outcomes(hidden);
    let next = 0;
    return keys.map((_, index) => {
      const text = shown[index];
      return typeof text === "string"
        ? counterOf(text)
        : outcomes[next++] ?? new Problem("store-unavailable");
    });
  }

  /** See {@linkcode CounterStore.history}. */
  async history(questions: readonly HistoryQuestion[]): Promise<readonly (Held | Problem)[]> {
    const found: (Held | Problem)[] = [];
    const absent: Question[] = [];
    let open = questions.map(({ id, since }, place): Question => {
      return { place, id, key: this.#options.prefix + id, since, years: [] };
    });
    while (open.length > 0) {
      const groups = await this.#groups(open);
      if (groups === undefined) return await this.#withoutDays(questions);
      const asked = open;
      open = [];
      for (const [index, question] of asked.entries()) {
        const group = groups[index] ?? new Problem("store-unavailable");
        const years = group instanceof Problem ? question.years : yearsOf(group, question.since);
        // At first none are known, and a year may end in between.
        if (years.join() !== question.years.join()) open.push({ ...question, years });
        else if (group instanceof Problem) found[question.place] = group;
        else {
          const onDamaged = () => this.#options.onDamaged(question.id);
          found[question.place] = foundIn(group, { years, onDamaged });
        }
        if (!(group instanceof Problem) && group[0] === null) absent.push(question);
      }
    }
    // What is no text is shown as if it were not there.
    const outcomes = await this.#outcomes(absent.map(({ key }) => key));
    absent.forEach(({ place }, index) => {
      const outcome = outcomes[index];
      if (outcome instanceof Problem) found[place] = outcome;
    });
    return found;
  }

  async #withoutDays(questions: readonly HistoryQuestion[]): Promise<readonly (Held | Problem)[]> {
    const outcomes = await this.read(questions.map(({ id }) => id));
    return outcomes.map((hits) => hits instanceof Problem ? hits : { hits, days: undefined });
  }

  /** One MGET costs far less than many GETs, but shows a list as it shows nothing. */
  async #shown(keys: readonly string[]): Promise<readonly unknown[]> {
    if (keys.length === 1 || !this.#options.link.multiKeyAcrossSlots) return [];
    const [reply] = await this.#options.calls.ask([["MGET", ...keys]], isForbidden);
    return reply?.kind === "done" && Array.isArray(reply.value) ? reply.value : [];
  }

  async #outcomes(keys: readonly string[]): Promise<readonly Outcome[]> {
    if (keys.length === 0) return [];
    return (await this.#options.calls.ask(keys.map((key) => ["GET", key]))).map(outcomeOf);
  }

  /** Total, ledger and years of each counter, as they were at one instant; undefined where ledgers may not be read. */
  async #groups(
    questions: readonly Question[],
  ): Promise<readonly (readonly Shown[] | Problem)[] | undefined> {
    const { calls, link: { multiKeyAcrossSlots } } = this.#options;
    const keys = questions.map(keysOf);
    const commands = multiKeyAcrossSlots ? [keys.flat()] : keys;
    const replies = await calls.ask(commands.map((group) => ["MGET", ...group]), isForbidden);
    if (replies.some((reply) => reply.kind === "refused" && isForbidden(reply.cause))) {
      return undefined;
    }
    const lists = replies.map(listOf);
    if (!multiKeyAcrossSlots) return lists;
    const all = lists[0] ?? new Problem("store-unavailable");
    let next = 0;
    return keys.map(({ length }) => all instanceof Problem ? all : all.slice(next, next += length));
  }
}

function keysOf({ key, years }: Question): string[] {
  const ledger = ledgerKey(key);
  return [key, ledger, ...years.map((year) => yearKey(ledger, year))];
}

function listOf(reply: Reply): readonly Shown[] | Problem {
  return reply.kind === "done" && Array.isArray(reply.value)
    ? reply.value
    : problemOf(reply, "store-unavailable");
}

function yearsOf([total, text]: readonly Shown[], since: Day): number[] {
  const ledger = total && text ? parseLedger(text) : undefined;
  return ledger === undefined ? [] : yearsSince(ledger, since);
}

function foundIn(
  [total = null, ledger = null, ...texts]: readonly Shown[],
  { years, onDamaged }: { years: readonly number[]; onDamaged(): void },
): Held | Problem {
  if (total !== null && counterOf(total) instanceof Problem) return new Problem("not-a-counter");
  const entries = years.flatMap((year, index) => {
    const text = texts[index];
    return text ? [parseYear(year, text)] : [];
  });
  return heldOf({ total, ledger, years: entries }, onDamaged);
}

const COUNTER = /^(?:0|[1-9]\d{0,15})$/;

function outcomeOf(reply: Reply): Outcome {
  if (reply.kind !== "done") return problemOf(reply, "store-unavailable");
  return reply.value === null ? 0 : counterOf(String(reply.value));
}

function counterOf(text: string): Outcome {
  const isCounter = COUNTER.test(text) && Number(text) <= MAX_HITS;
  return isCounter ? Number(text) : new Problem("not-a-counter");
}
