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
  ledgerKey,
  parseRecord,
  parseTotal,
  reportKey,
  type StoredTexts,
  yearKey,
  yearsToRead,
} from "./layout.ts";
import { LISTED_AT_ONCE } from "./limits.ts";
import type { StoreLink } from "./node.ts";
import { problemOf, type Reply } from "./reply.ts";
import type { RedisCommands } from "./scripts.ts";

export interface RedisReadingOptions {
  commands: RedisCommands;
  link: Pick<StoreLink, "multiKeyAcrossSlots" | "scan">;
  /** The beginning of every key of a counter. */
  prefix: string;
  calendar: Calendar;
  /** Called if the days of a counter are found to be damaged. They count as none. */
  onDamaged(id: CounterId): void;
}

/** A counter whose entries are read, with the years from `since` on. */
interface EntryQuery {
  readonly key: string;
  readonly since: Day;
}

/** Reads counters and their days. */
export class RedisReading {
  readonly #options: RedisReadingOptions;

  constructor(options: RedisReadingOptions) {
    this.#options = options;
  }

  /** See `CounterStore.read`. */
  async read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    return (await this.#findTotals(ids)).map((found) => found ?? 0);
  }

  /** See `CounterStore.history`. */
  async history(queries: readonly HistoryQuery[]): Promise<readonly (CounterState | Problem)[]> {
    return (await this.#findStates(queries)).map((found) => found ?? EMPTY);
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
    let pending = queries.map((query, index) => ({
      ...query,
      index,
      ledger: ledgerKey(query.key),
      years: [] as readonly number[],
    }));
    while (pending.length > 0) {
      const groups = await this.#readGroups(pending.map(({ key, ledger, years }) => {
        return [key, ledger, reportKey(ledger), ...years.map((year) => yearKey(ledger, year))];
      }));
      pending = pending.flatMap((query, at) => {
        const group = groups[at] ?? new Problem("store-unavailable");
        if (group instanceof Problem) {
          found[query.index] = group;
          return [];
        }
        const [total = null, ledger = null, report = null, ...texts] = group;
        // The ledger tells the years to read. A year may end between two reads.
        const years = yearsToRead(ledger, query.since, today);
        if (!isEqual(years, query.years)) return [{ ...query, years }];
        const entries = years.map((year, index) => [year, texts[index] ?? null] as const);
        found[query.index] = { total, ledger, report, years: new Map(entries) };
        return [];
      });
    }
    return found;
  }

  /** Reads totals: null for a counter that does not exist. */
  async #findTotals(ids: readonly CounterId[]): Promise<readonly (Outcome | null)[]> {
    const keys = ids.map((id) => this.#options.prefix + id);
    if (keys.length > 1 && this.#options.link.multiKeyAcrossSlots) {
      const [texts = new Problem("store-unavailable")] = await this.#readGroups([keys]);
      if (texts instanceof Problem) return keys.map(() => texts);
      const totals = texts.map((text) => text === null ? null : parseTotal(text));
      return await this.#lookAgain(keys, totals);
    }
    return await this.#getTotals(keys);
  }

  /** Reads states: null for a counter that does not exist. */
  async #findStates(
    queries: readonly HistoryQuery[],
  ): Promise<readonly (CounterState | Problem | null)[]> {
    const keys = queries.map(({ id }) => this.#options.prefix + id);
    const entries = await this.entries(queries.map(({ since }, at) => {
      return { key: keys[at] ?? "", since };
    }));
    const states = entries.map((texts, at) => {
      if (texts instanceof Problem) return texts;
      // A ledger without a total is left from a counter that was deleted.
      if (texts.total === null) return null;
      const record = parseRecord(texts);
      const { ledger, years = [] } = record;
      const id = queries[at]?.id;
      if (id !== undefined && (ledger === "damaged" || years.some(isDamaged))) {
        this.#options.onDamaged(id);
      }
      return stateOf({ ...record, years: years.filter((entry) => !isDamaged(entry)) });
    });
    return await this.#lookAgain(keys, states);
  }

  /**
   * Asks with GET for what MGET does not find, because MGET shows a value of another type as
   * missing.
   */
  async #lookAgain<Found>(
    keys: readonly string[],
    found: readonly (Found | null)[],
  ): Promise<readonly (Found | Problem | null)[]> {
    const totals = await this.#getTotals(keys.filter((_, at) => found[at] === null));
    return found.map((each) => {
      if (each !== null) return each;
      const total = totals.shift();
      return total instanceof Problem ? total : null;
    });
  }

  async #getTotals(keys: readonly string[]): Promise<(Outcome | null)[]> {
    if (keys.length === 0) return [];
    const replies = await this.#options.commands.send(keys.map((key) => ["GET", key]));
    return replies.map((reply) => {
      if (reply.kind !== "done") return problemOf(reply, "store-unavailable");
      return reply.value === null ? null : parseTotal(String(reply.value));
    });
  }

  /**
   * Reads groups of keys, with one MGET for all of them where keys of different slots may be named
   * together.
   */
  async #readGroups(
    groups: readonly (readonly string[])[],
  ): Promise<readonly (readonly (string | null)[] | Problem)[]> {
    const { commands, link: { multiKeyAcrossSlots } } = this.#options;
    const sent = multiKeyAcrossSlots ? [groups.flat()] : groups;
    const lists = (await commands.send(sent.map((keys) => ["MGET", ...keys]))).map(textsOf);
    if (!multiKeyAcrossSlots) return lists;
    const [all = new Problem("store-unavailable")] = lists;
    if (all instanceof Problem) return groups.map(() => all);
    let next = 0;
    return groups.map(({ length }) => all.slice(next, next += length));
  }

  async #pageOf(texts: readonly string[], since: Day | undefined): Promise<ListPage> {
    const ids = texts.filter(isCounterId);
    const found = since === undefined
      ? await this.#findTotals(ids)
      : await this.#findStates(ids.map((id) => ({ id, since })));
    const counters: ListedCounter[] = [];
    let foreign = texts.length - ids.length;
    ids.forEach((id, index) => {
      const held = found[index];
      if (typeof held === "number") counters.push({ id, hits: held, days: undefined });
      else if (held instanceof Problem) {
        if (held.kind !== "not-a-counter") throw held;
        foreign++;
      } else if (held) counters.push({ id, ...held });
      // A key that does not exist by this name was deleted since it was listed, or is not UTF-8.
      else if (id.includes(REPLACEMENT_CHARACTER)) foreign++;
    });
    return { counters, foreign };
  }
}

function isEqual(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((number, at) => number === other[at]);
}

function textsOf(reply: Reply): readonly (string | null)[] | Problem {
  return reply.kind === "done" && Array.isArray(reply.value)
    ? reply.value
    : problemOf(reply, "store-unavailable");
}

/** The state of a counter that does not exist. */
const EMPTY: CounterState = { hits: 0, days: undefined };

/** The character that replaces bytes of a key that are not UTF-8. */
const REPLACEMENT_CHARACTER = "\ufffd";
