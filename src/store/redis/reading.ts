import { type CounterId, counterId } from "../../counter/counter_id.ts";
import { type CounterState, type Day, yearsSince } from "../../counter/days.ts";
import {
  type HistoryQuery,
  type ListedCounter,
  type ListOptions,
  type ListPage,
  MAX_HITS,
  type Outcome,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { RedisCommands } from "./commands.ts";
import type { StoreLink } from "./connection/node.ts";
import { isForbidden, problemOf, type Reply } from "./connection/reply.ts";
import {
  type LedgerEntry,
  ledgerEntry,
  ledgerKey,
  parseHeld,
  parseYear,
  yearKey,
} from "./layout.ts";
import { LISTED_AT_ONCE } from "./limits.ts";

interface RedisReadingOptions {
  commands: RedisCommands;
  /** It may not know before it is connected whether one command may name keys of several counters. */
  link: Pick<StoreLink, "multiKeyAcrossSlots" | "scan">;
  /** Stands before the id in a key. */
  prefix: string;
  /** Called when the days of a counter are found out of bounds, with its ledger if that is what is damaged. */
  onDamaged(id: CounterId, ledger: string | undefined): void;
}

/** A counter whose days are read, and the years that have to be read with its ledger. */
interface HistoryRead {
  readonly index: number;
  readonly id: CounterId;
  readonly key: string;
  readonly since: Day;
  readonly years: readonly number[];
}

/** What MGET gives for a key: null also if that holds something else than a text. */
type Text = string | null;

/** Reads counters and their days. */
export class RedisReading {
  readonly #options: RedisReadingOptions;

  constructor(options: RedisReadingOptions) {
    this.#options = options;
  }

  /** See `CounterStore.read`. */
  async read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    return (await this.#find(ids)).map((found) => found ?? 0);
  }

  /** The same, with null for a counter that is not there. */
  async #find(ids: readonly CounterId[]): Promise<readonly (Outcome | null)[]> {
    const keys = ids.map((id) => this.#options.prefix + id);
    const texts = await this.#textsOf(keys);
    const outcomes = await this.#outcomesOf(keys.filter((_, at) => typeof texts[at] !== "string"));
    let next = 0;
    return keys.map((_, at) => {
      const text = texts[at];
      if (typeof text === "string") return counterOf(text);
      const outcome = outcomes[next++];
      return outcome === undefined ? new Problem("store-unavailable") : outcome;
    });
  }

  /** See `CounterStore.history`. */
  async history(counters: readonly HistoryQuery[]): Promise<readonly (CounterState | Problem)[]> {
    return (await this.#findHistories(counters)).map((found) => found ?? NOTHING);
  }

  /** The same, with null for a counter that is not there. */
  async #findHistories(
    counters: readonly HistoryQuery[],
  ): Promise<readonly (CounterState | Problem | null)[]> {
    const { prefix, onDamaged } = this.#options;
    const found: (CounterState | Problem | null)[] = [];
    const absent: HistoryRead[] = [];
    let pending = counters.map(({ id, since }, index): HistoryRead => {
      return { index, id, key: prefix + id, since, years: [] };
    });
    while (pending.length > 0) {
      const reads = pending;
      const groups = await this.#groupsOf(reads);
      if (groups === undefined) return await this.#withoutDays(counters);
      pending = [];
      for (const [at, read] of reads.entries()) {
        const group = groups[at] ?? new Problem("store-unavailable");
        if (group instanceof Problem) {
          found[read.index] = group;
          continue;
        }
        // A ledger without a total is left from a counter that is gone.
        const ledger = group[0] ? ledgerEntry(group[1] ?? null) : undefined;
        const years = ledger?.ledger === undefined ? [] : yearsSince(ledger.ledger, read.since);
        // At first none are known, and a year may end in between.
        if (years.join() !== read.years.join()) pending.push({ ...read, years });
        else {
          const damaged = (ledger: string | undefined) => onDamaged(read.id, ledger);
          found[read.index] = heldIn(group, { ledger, years, onDamaged: damaged });
        }
        if (group[0] === null) absent.push(read);
      }
    }
    // MGET shows what is no text as if it were not there.
    const outcomes = await this.#outcomesOf(absent.map(({ key }) => key));
    absent.forEach(({ index }, at) => {
      const outcome = outcomes[at];
      found[index] = outcome instanceof Problem ? outcome : null;
    });
    return found;
  }

  /** See `CounterStore.list`. */
  async *list({ prefix: beginning, since }: ListOptions): AsyncGenerator<ListPage> {
    const { link, prefix } = this.#options;
    const seen = new SeenTexts();
    try {
      for await (const keys of link.scan(prefix + beginning)) {
        // Redis gives a key again while it spreads them over more memory.
        const texts = keys.map((key) => key.slice(prefix.length)).filter((text) => seen.add(text));
        for (let start = 0; start < texts.length; start += LISTED_AT_ONCE) {
          yield await this.#pageOf(texts.slice(start, start + LISTED_AT_ONCE), since);
        }
      }
    } catch (error) {
      // The caller is answered to try again later, which helps only once somebody has read the log.
      const cause = error instanceof Problem ? error.cause : undefined;
      if (cause instanceof Error && isForbidden(cause)) {
        this.#options.commands.reportForbidden(cause);
      }
      throw error;
    }
  }

  async #pageOf(texts: readonly string[], since: Day | undefined): Promise<ListPage> {
    const ids = texts.filter(isId);
    const found = since === undefined
      ? await this.#find(ids)
      : await this.#findHistories(ids.map((id) => ({ id, since })));
    const counters: ListedCounter[] = [];
    let foreign = texts.length - ids.length;
    ids.forEach((id, index) => {
      const held = found[index];
      if (typeof held === "number") counters.push({ id, hits: held, days: undefined });
      else if (held instanceof Problem) {
        if (held.kind !== "not-a-counter") throw held;
        foreign++;
      } else if (held) counters.push({ id, ...held });
      // Where a key is not there by its text, it was deleted since it was listed, or is not text.
      else if (id.includes(UNREADABLE)) foreign++;
    });
    return { counters, foreign };
  }

  async #withoutDays(
    counters: readonly HistoryQuery[],
  ): Promise<readonly (CounterState | Problem | null)[]> {
    const found = await this.#find(counters.map(({ id }) => id));
    return found.map((hits) => typeof hits === "number" ? { hits, days: undefined } : hits);
  }

  /** One MGET costs far less than many GETs, but shows what is no text as if it were not there. */
  async #textsOf(keys: readonly string[]): Promise<readonly unknown[]> {
    if (keys.length === 1 || !this.#options.link.multiKeyAcrossSlots) return [];
    const [reply] = await this.#options.commands.read([["MGET", ...keys]], isForbidden);
    return reply?.kind === "done" && Array.isArray(reply.value) ? reply.value : [];
  }

  async #outcomesOf(keys: readonly string[]): Promise<readonly (Outcome | null)[]> {
    if (keys.length === 0) return [];
    return (await this.#options.commands.read(keys.map((key) => ["GET", key]))).map(outcomeOf);
  }

  /** Total, ledger and years of each counter, as they were at one instant; undefined if ledgers may not be read. */
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

function heldIn(
  [total = null, , ...texts]: readonly Text[],
  { ledger, years, onDamaged }: {
    ledger: LedgerEntry | undefined;
    years: readonly number[];
    onDamaged(ledger: string | undefined): void;
  },
): CounterState | Problem {
  if (total !== null && counterOf(total) instanceof Problem) return new Problem("not-a-counter");
  const entries = years.flatMap((year, index) => {
    const text = texts[index];
    return text ? [parseYear(year, text)] : [];
  });
  return parseHeld({ total, ledger, years: entries }, onDamaged);
}

const COUNTER = /^(?:0|[1-9]\d{0,15})$/;

function outcomeOf(reply: Reply): Outcome | null {
  if (reply.kind !== "done") return problemOf(reply, "store-unavailable");
  return reply.value === null ? null : counterOf(String(reply.value));
}

function counterOf(text: string): Outcome {
  const isCounter = COUNTER.test(text) && Number(text) <= MAX_HITS;
  return isCounter ? Number(text) : new Problem("not-a-counter");
}

/** A key that no request could name was not written by this service. */
function isId(text: string): text is CounterId {
  try {
    return text !== "" && counterId(text) === text;
  } catch {
    return false;
  }
}

/** What a counter holds that is not there. */
const NOTHING: CounterState = { hits: 0, days: undefined };

/** Stands for bytes of a key that are no UTF-8. */
const UNREADABLE = "\ufffd";

/** How many are expected at first. */
const FIRST_CAPACITY = 1024;

/**
 * Texts that were seen, told apart by 64 random bits each instead of by themselves: a million take some 16 MB. The
 * chance that two of a million are taken for one is below 1 in 10 million.
 */
export class SeenTexts {
  /** Two words for each; both are 0 if there is none. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #size = 0;
  readonly #seeds = crypto.getRandomValues(new Uint32Array(2));

  /** Adds a text, and says whether it is new. */
  add(text: string): boolean {
    const [first = 0, second = 0] = this.#seeds;
    const isNew = this.#put(hash(text, first) | 1, hash(text, second));
    if (isNew && ++this.#size * 4 > this.#slots.length) this.#grow();
    return isNew;
  }

  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = low << 1 & mask;
    for (; slots[at] !== 0; at = at + 2 & mask) {
      if (slots[at] === high >>> 0 && slots[at + 1] === low >>> 0) return false;
    }
    slots[at] = high;
    slots[at + 1] = low;
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = old.subarray(at, at + 2);
      if (high !== 0) this.#put(high, low);
    }
  }
}

/** MurmurHash3 (Austin Appleby), a character at a time. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) {
    let part = Math.imul(text.charCodeAt(at), 0xcc9e2d51);
    part = Math.imul(part << 15 | part >>> 17, 0x1b873593);
    value ^= part;
    value = Math.imul(value << 13 | value >>> 19, 5) + 0xe6546b64 | 0;
  }
  value ^= text.length;
  value = Math.imul(value ^ value >>> 16, 0x85ebca6b);
  value = Math.imul(value ^ value >>> 13, 0xc2b2ae35);
  return value ^ value >>> 16;
}
