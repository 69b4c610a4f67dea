import type { CounterId } from "../../counter/counter_id.ts";
import { type Day, type Held, yearsSince } from "../../counter/days.ts";
import { type HistoryQuestion, MAX_HITS, type Outcome } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { RedisCommands } from "./commands.ts";
import { heldOf, ledgerKey, parseLedger, parseYear, yearKey } from "./layout.ts";
import type { StoreLink } from "./connection/link.ts";
import { isForbidden, problemOf, type Reply } from "./connection/reply.ts";

interface RedisReadingOptions {
  commands: RedisCommands;
  /** Tells whether keys of several counters may be asked for in one command: it may not know before it is connected. */
  link: Pick<StoreLink, "multiKeyAcrossSlots">;
  /** Stands before the id in a key. */
  prefix: string;
  /** Called where the days of a counter are out of bounds. */
  onDamaged(id: CounterId): void;
}

/** A counter whose days are asked for, and the years that have to be read with its ledger. */
interface HistoryRead {
  readonly place: number;
  readonly id: CounterId;
  readonly key: string;
  readonly since: Day;
  readonly years: readonly number[];
}

/** What MGET gives for a key: null also where that holds something else than a text. */
type Text = string | null;

/** Reads counters and their days. */
export class RedisReading {
  readonly #options: RedisReadingOptions;

  constructor(options: RedisReadingOptions) {
    this.#options = options;
  }

  /** See `CounterStore.read`. */
  async read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    const keys = ids.map((id) => this.#options.prefix + id);
    const texts = await this.#textsOf(keys);
    const outcomes = await this.#outcomesOf(keys.filter((_, at) => typeof texts[at] !== "string"));
    let next = 0;
    return keys.map((_, at) => {
      const text = texts[at];
      return typeof text === "string"
        ? counterOf(text)
        : outcomes[next++] ?? new Problem("store-unavailable");
    });
  }

  /** See `CounterStore.history`. */
  async history(questions: readonly HistoryQuestion[]): Promise<readonly (Held | Problem)[]> {
    const { prefix, onDamaged } = this.#options;
    const found: (Held | Problem)[] = [];
    const absent: HistoryRead[] = [];
    let pending = questions.map(({ id, since }, place): HistoryRead => {
      return { place, id, key: prefix + id, since, years: [] };
    });
    while (pending.length > 0) {
      const reads = pending;
      const groups = await this.#groupsOf(reads);
      if (groups === undefined) return await this.#withoutDays(questions);
      pending = [];
      for (const [index, read] of reads.entries()) {
        const group = groups[index] ?? new Problem("store-unavailable");
        if (group instanceof Problem) {
          found[read.place] = group;
          continue;
        }
        const years = yearsOf(group, read.since);
        // At first none are known, and a year may end in between.
        if (years.join() !== read.years.join()) pending.push({ ...read, years });
        else found[read.place] = heldIn(group, { years, onDamaged: () => onDamaged(read.id) });
        if (group[0] === null) absent.push(read);
      }
    }
    // MGET shows what is no text as if it were not there.
    const outcomes = await this.#outcomesOf(absent.map(({ key }) => key));
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

  /** One MGET costs far less than many GETs, but shows what is no text as if it were not there. */
  async #textsOf(keys: readonly string[]): Promise<readonly unknown[]> {
    if (keys.length === 1 || !this.#options.link.multiKeyAcrossSlots) return [];
    const [reply] = await this.#options.commands.read([["MGET", ...keys]], isForbidden);
    return reply?.kind === "done" && Array.isArray(reply.value) ? reply.value : [];
  }

  async #outcomesOf(keys: readonly string[]): Promise<readonly Outcome[]> {
    if (keys.length === 0) return [];
    return (await this.#options.commands.read(keys.map((key) => ["GET", key]))).map(outcomeOf);
  }

  /** Total, ledger and years of each counter, as they were at one instant; undefined where ledgers may not be read. */
  async #groupsOf(
    reads: readonly HistoryRead[],
  ): Promise<readonly (readonly Text[] | Problem)[] | undefined> {
    const { commands, link: { multiKeyAcrossSlots } } = this.#options;
    const keys = reads.map(keysOf);
    const replies = await commands.read(
      (multiKeyAcrossSlots ? [keys.flat()] : keys).map((group) => ["MGET", ...group]),
      isForbidden,
    );
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

function keysOf({ key, years }: HistoryRead): string[] {
  const ledger = ledgerKey(key);
  return [key, ledger, ...years.map((year) => yearKey(ledger, year))];
}

function listOf(reply: Reply): readonly Text[] | Problem {
  return reply.kind === "done" && Array.isArray(reply.value)
    ? reply.value
    : problemOf(reply, "store-unavailable");
}

function yearsOf([total, text]: readonly Text[], since: Day): number[] {
  const ledger = total && text ? parseLedger(text) : undefined;
  return ledger === undefined ? [] : yearsSince(ledger, since);
}

function heldIn(
  [total = null, ledger = null, ...texts]: readonly Text[],
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
