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
import { type CounterRecord, stateOf } from "../planner.ts";
import {
  parseLedger,
  parseTotal,
  recordOf,
  relatedKey,
  type StoredTexts,
  yearsToRead,
} from "./layout.ts";
import type { StoreLink } from "./node.ts";
import { problemOf } from "./reply.ts";

/** Number of counters of a list that are read at once. More would delay hits, here and in Redis. */
const LISTED_AT_ONCE = 250;

export interface RedisStoreOptions {
  link: StoreLink;
  /** The beginning of every key of a counter. */
  prefix: string;
  calendar: Calendar;
  /** Called if the days of a counter are found to be damaged. They count as none. */
  onDamaged(id: CounterId): void;
}

/** Lists counters, see `CounterStore.list`. */
export async function* listCounters(
  options: RedisStoreOptions,
  { prefix: beginning, since }: ListOptions,
): AsyncGenerator<ListPage> {
  const { link, prefix } = options;
  const seen = new Set<string>();
  for await (const keys of link.scan(prefix + beginning)) {
    // Redis repeats keys while it grows or shrinks its table.
    const fresh = new Set(keys).difference(seen);
    for (const key of fresh) seen.add(key);
    const texts = Array.from(fresh, (key) => key.slice(prefix.length));
    // Also without keys, to show that Redis answers: a prefix may have none among a million.
    if (texts.length === 0) yield { counters: [], foreign: 0 };
    for (let start = 0; start < texts.length; start += LISTED_AT_ONCE) {
      yield await readPage(options, texts.slice(start, start + LISTED_AT_ONCE), since);
    }
  }
}

async function readPage(
  options: RedisStoreOptions,
  texts: readonly string[],
  since: Day | undefined,
): Promise<ListPage> {
  const ids = texts.filter(isCounterId);
  const found = since === undefined
    ? await readTotals(options, ids)
    : await readStates(options, ids.map((id) => ({ id, since })));
  const counters: ListedCounter[] = [];
  let foreign = texts.length - ids.length;
  ids.forEach((id, index) => {
    const held = found[index] ?? null;
    if (held instanceof Problem) {
      if (held.kind !== "not-a-counter") throw held;
      foreign++;
    } else if (typeof held === "number") counters.push({ id, hits: held, days: undefined });
    else if (held !== null) counters.push({ id, ...held });
    // A key that does not exist by this name was deleted since it was listed, or is not UTF-8.
    else if (id.includes(REPLACEMENT_CHARACTER)) foreign++;
  });
  return { counters, foreign };
}

/** The character that replaces bytes of a key that are not UTF-8. */
const REPLACEMENT_CHARACTER = "\ufffd";

/** Reads totals: null for a counter that does not exist. */
export async function readTotals(
  options: RedisStoreOptions,
  ids: readonly CounterId[],
): Promise<readonly (Outcome | null)[]> {
  const groups = await readGroups(options, ids.map((id) => [options.prefix + id]));
  const totals = groups.map((group) => {
    if (group instanceof Problem) return group;
    return typeof group[0] === "string" ? parseTotal(group[0]) : null;
  });
  return await checkMissing(options, ids, totals);
}

/** Reads totals and days: null for a counter that does not exist. */
export async function readStates(
  options: RedisStoreOptions,
  queries: readonly HistoryQuery[],
): Promise<readonly (CounterState | Problem | null)[]> {
  const { prefix, onDamaged } = options;
  const ids = queries.map(({ id }) => id);
  const found = await readCounters(
    options,
    queries.map(({ id, since }) => ({ key: prefix + id, since })),
  );
  const states = ids.map((id, at) => {
    const counter = found[at] ?? new Problem("store-unavailable");
    if (counter instanceof Problem) return counter;
    const { record } = counter;
    if (!record.exists) return null;
    const hasDamagedYear = record.years?.some(({ hits }) => hits.length === 0);
    if (record.ledger === "damaged" || hasDamagedYear) onDamaged(id);
    return stateOf(record);
  });
  return await checkMissing(options, ids, states);
}

/** Finds values of another type with GET, because MGET shows them as missing. */
async function checkMissing<Value>(
  { link, prefix }: RedisStoreOptions,
  ids: readonly CounterId[],
  found: readonly (Value | null)[],
): Promise<readonly (Value | Problem | null)[]> {
  const missing = ids.filter((_, at) => found[at] === null);
  if (missing.length === 0) return found;
  const replies = (await link.send(missing.map((id) => ["GET", prefix + id]))).values();
  return found.map((value) => {
    if (value !== null) return value;
    const { value: reply } = replies.next();
    return reply?.kind === "done" ? null : problemOf(reply, "store-unavailable");
  });
}

/** A counter as it was read. */
export interface StoredCounter {
  readonly key: string;
  readonly texts: StoredTexts;
  readonly record: CounterRecord;
}

/**
 * Reads the entries of counters with the years from `since` on, those of one counter as they were
 * at one instant. A value that is not a string is read as if it did not exist.
 */
export async function readCounters(
  options: RedisStoreOptions,
  queries: readonly { readonly key: string; readonly since: Day }[],
): Promise<readonly (StoredCounter | Problem)[]> {
  const today = options.calendar.today();
  const found: (StoredCounter | Problem)[] = [];
  let pending = queries.map(({ key, since }, index) => ({ key, since, index, years: NO_YEARS }));
  while (pending.length > 0) {
    const groups = await readGroups(
      options,
      pending.map(({ key, years }) => [
        key,
        relatedKey(key, "days"),
        relatedKey(key, "report"),
        ...years.map((year) => relatedKey(key, `days${year}`)),
      ]),
    );
    pending = pending.filter((query, at) => {
      const group = groups[at] ?? new Problem("store-unavailable");
      if (group instanceof Problem) {
        found[query.index] = group;
        return false;
      }
      const [total = null, ledgerText = null, report = null, ...rest] = group;
      const ledger = parseLedger(ledgerText);
      // The ledger tells the years to read. A year may end between two reads.
      const years = yearsToRead(ledger, query.since, today);
      if (years.join() !== query.years.join()) {
        query.years = years;
        return true;
      }
      const entries = years.map((year, index) => [year, rest[index] ?? null] as const);
      const texts = { total, ledger: ledgerText, report, years: new Map(entries) };
      found[query.index] = { key: query.key, texts, record: recordOf(texts, ledger) };
      return false;
    });
  }
  return found;
}

const NO_YEARS: readonly number[] = [];

/**
 * Reads groups of keys, with one MGET for all of them if keys of different slots may be named
 * together.
 */
async function readGroups(
  { link }: RedisStoreOptions,
  groups: readonly (readonly string[])[],
): Promise<readonly (readonly (string | null)[] | Problem)[]> {
  if (groups.length === 0) return [];
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
