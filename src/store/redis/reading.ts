import { type CounterId, isCounterId } from "../../counter/counter_id.ts";
import type { Calendar } from "../../counter/calendar.ts";
import type { CounterState, Day } from "../../counter/days.ts";
import type {
  HistoryQuery,
  ListedCounter,
  ListOptions,
  ListPage,
  Outcome,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { stateOf } from "../planner.ts";
import {
  isDamaged,
  parseRecord,
  parseTotal,
  relatedKey,
  type StoredTexts,
  yearsToRead,
} from "./layout.ts";
import { LISTED_AT_ONCE } from "./limits.ts";
import type { StoreLink } from "./node.ts";
import { problemOf } from "./reply.ts";

export interface RedisStoreOptions {
  link: StoreLink;
  /** The beginning of every key of a counter. */
  prefix: string;
  calendar: Calendar;
  /** Called if the days of a counter are found to be damaged. They count as none. */
  onDamaged(id: CounterId): void;
}

/** A counter to read, with the years from `since` on. Undefined reads the total alone. */
interface EntryQuery {
  readonly key: string;
  readonly since: Day | undefined;
}

/** Reads counters and their days. */
export class RedisReading {
  readonly #options: RedisStoreOptions;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
  }

  /** See `CounterStore.read`. */
  async read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    const groups = await this.#readGroups(ids.map((id) => [this.#options.prefix + id]));
    const totals = groups.map((group) => {
      if (group instanceof Problem) return group;
      return typeof group[0] === "string" ? parseTotal(group[0]) : null;
    });
    return (await this.#checkMissing(ids, totals)).map((total) => total ?? 0);
  }

  /** See `CounterStore.history`. */
  async history(queries: readonly HistoryQuery[]): Promise<readonly (CounterState | Problem)[]> {
    return (await this.#find(queries)).map((found) => found ?? EMPTY);
  }

  /** See `CounterStore.list`. */
  async *list({ prefix: beginning, since }: ListOptions): AsyncGenerator<ListPage> {
    const { link, prefix } = this.#options;
    const seen = new Set<string>();
    for await (const keys of link.scan(prefix + beginning)) {
      // Redis repeats keys while it grows or shrinks its table.
      const texts = keys.map((key) => key.slice(prefix.length)).filter((text) => {
        const isNew = !seen.has(text);
        if (isNew) seen.add(text);
        return isNew;
      });
      // Also without keys, to show that Redis answers: a prefix may have none among a million.
      if (texts.length === 0) yield { counters: [], foreign: 0 };
      for (let start = 0; start < texts.length; start += LISTED_AT_ONCE) {
        yield await this.#pageOf(texts.slice(start, start + LISTED_AT_ONCE), since);
      }
    }
  }

  /**
   * Reads the entries of counters, those of one counter as they were at one instant. A value that
   * is not a string is read as if it did not exist.
   */
  async entries(queries: readonly EntryQuery[]): Promise<readonly (StoredTexts | Problem)[]> {
    const today = this.#options.calendar.today();
    const found: (StoredTexts | Problem)[] = [];
    let pending = queries.map((query, index) => ({ ...query, index, years: NO_YEARS }));
    while (pending.length > 0) {
      const groups = await this.#readGroups(pending.map(({ key, since, years }) => {
        if (since === undefined) return [key];
        const names = ["days", "report", ...years.map((year) => `days${year}`)];
        return [key, ...names.map((name) => relatedKey(key, name))];
      }));
      pending = pending.flatMap((query, at) => {
        const group = groups[at] ?? new Problem("store-unavailable");
        if (group instanceof Problem) {
          found[query.index] = group;
          return [];
        }
        const [total = null, ledger = null, report = null, ...texts] = group;
        // The ledger tells the years to read. A year may end between two reads.
        const years = yearsToRead(ledger, query.since ?? today, today);
        if (years.join() !== query.years.join()) return [{ ...query, years }];
        const entries = years.map((year, index) => [year, texts[index] ?? null] as const);
        found[query.index] = { total, ledger, report, years: new Map(entries) };
        return [];
      });
    }
    return found;
  }

  /** Reads states: null for a counter that does not exist. */
  async #find(
    queries: readonly { id: CounterId; since: Day | undefined }[],
  ): Promise<readonly (CounterState | Problem | null)[]> {
    const { prefix, onDamaged } = this.#options;
    const entries = await this.entries(queries.map(({ id, since }) => {
      return { key: prefix + id, since };
    }));
    const states = entries.map((texts, at) => {
      if (texts instanceof Problem) return texts;
      // A ledger without a total is left from a counter that was deleted.
      if (texts.total === null) return null;
      const record = parseRecord(texts);
      const { ledger, years = [] } = record;
      if (ledger !== "damaged" && !years.some(isDamaged)) return stateOf(record);
      const id = queries[at]?.id;
      if (id !== undefined) onDamaged(id);
      return stateOf({ ...record, years: years.filter((entry) => !isDamaged(entry)) });
    });
    return await this.#checkMissing(queries.map(({ id }) => id), states);
  }

  /** Finds values of another type with GET, because MGET shows them as missing. */
  async #checkMissing<Value>(
    ids: readonly CounterId[],
    found: readonly (Value | null)[],
  ): Promise<readonly (Value | Problem | null)[]> {
    const { link, prefix } = this.#options;
    const missing = ids.filter((_, at) => found[at] === null);
    if (missing.length === 0) return found;
    const replies = (await link.send(missing.map((id) => ["GET", prefix + id]))).values();
    return found.map((value) => {
      if (value !== null) return value;
      const { value: reply } = replies.next();
      if (reply?.kind !== "done") return problemOf(reply, "store-unavailable");
      const total = reply.value === null ? null : parseTotal(String(reply.value));
      return total instanceof Problem ? total : null;
    });
  }

  /**
   * Reads groups of keys, with one MGET for all of them if keys of different slots may be named
   * together.
   */
  async #readGroups(
    groups: readonly (readonly string[])[],
  ): Promise<readonly (readonly (string | null)[] | Problem)[]> {
    const { link } = this.#options;
    const sent = link.multiKeyAcrossSlots ? [groups.flat()] : groups;
    const replies = await link.send(sent.map((keys) => ["MGET", ...keys]));
    let next = 0;
    return groups.map(({ length }, at) => {
      const reply = replies[link.multiKeyAcrossSlots ? 0 : at];
      if (reply?.kind !== "done" || !Array.isArray(reply.value)) {
        return problemOf(reply, "store-unavailable");
      }
      return link.multiKeyAcrossSlots ? reply.value.slice(next, next += length) : reply.value;
    });
  }

  async #pageOf(texts: readonly string[], since: Day | undefined): Promise<ListPage> {
    const ids = texts.filter(isCounterId);
    const found = await this.#find(ids.map((id) => ({ id, since })));
    const counters: ListedCounter[] = [];
    let foreign = texts.length - ids.length;
    ids.forEach((id, index) => {
      const held = found[index];
      if (held instanceof Problem) {
        if (held.kind !== "not-a-counter") throw held;
        foreign++;
      } else if (held) counters.push({ id, ...held });
      // A key that does not exist by this name was deleted since it was listed, or is not UTF-8.
      else if (id.includes(REPLACEMENT_CHARACTER)) foreign++;
    });
    return { counters, foreign };
  }
}

const NO_YEARS: readonly number[] = [];

/** The state of a counter that does not exist. */
const EMPTY: CounterState = { hits: 0, days: undefined };

/** The character that replaces bytes of a key that are not UTF-8. */
const REPLACEMENT_CHARACTER = "\ufffd";
