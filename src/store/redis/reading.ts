import { type CounterId, isCounterId } from "../../domain/counter_id.ts";
import { type Calendar, currentDays, isAhead, stateOf } from "../../domain/calendar.ts";
import {
  type CounterRecord,
  type CounterState,
  type Day,
  yearsSince,
} from "../../domain/history.ts";
import type {
  HistoryQuery,
  ListedCounter,
  ListOptions,
  ListPage,
  Outcome,
} from "../../domain/store.ts";
import { Failure } from "../../domain/errors.ts";
import {
  additionName,
  parseLedger,
  parseTotal,
  recordOf,
  relatedKey,
  type StoredTexts,
} from "./redis_layout.ts";
import type { StoreLink } from "./node.ts";
import { failureOf, isRefused } from "./reply.ts";

/** Number of counters of a list that are read at once. More would delay hits, here and in Redis. */
const LISTED_AT_ONCE = 250;

export interface RedisStoreOptions {
  link: StoreLink;
  /** The beginning of every key of a counter. */
  prefix: string;
  calendar: Calendar;
  /** Called with a counter whose open day is ahead. */
  onAhead(id: CounterId): void;
}

/** Lists counters, see `CounterStore.list`. */
export async function* listCounters(
  options: RedisStoreOptions,
  { prefix: beginning, since = Infinity }: ListOptions,
): AsyncGenerator<ListPage> {
  const { link, prefix } = options;
  const listed = new Set<string>();
  for await (const keys of link.scan(prefix + beginning)) {
    // Redis repeats keys while it grows or shrinks its table.
    const fresh = new Set(keys).difference(listed);
    for (const key of fresh) listed.add(key);
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
  since: Day,
): Promise<ListPage> {
  const ids = texts.filter(isCounterId);
  const states = await readStates(options, ids.map((id) => ({ id, since })));
  const counters: ListedCounter[] = [];
  let foreign = texts.length - ids.length;
  ids.forEach((id, index) => {
    const state = states[index];
    if (state instanceof Failure) {
      if (state.kind !== "not-a-counter") throw state;
      foreign++;
    } else if (state !== undefined) counters.push({ id, ...state });
    // A key that does not exist by this name was deleted since it was listed, or is not UTF-8.
    else if (id.includes(REPLACEMENT_CHARACTER)) foreign++;
  });
  return { counters, foreign };
}

/** The character that replaces bytes of a key or a value that are not UTF-8. */
export const REPLACEMENT_CHARACTER = "\ufffd";

/** Reads totals, 0 for a counter that does not exist. */
export async function readTotals(
  options: RedisStoreOptions,
  ids: readonly CounterId[],
): Promise<readonly Outcome[]> {
  const groups = await readGroups(options.link, ids.map((id) => [options.prefix + id]));
  // Hot path: a record of each counter would make reads at 0.94 of the speed.
  const totals = groups.map((group) => {
    if (group instanceof Failure) return group;
    const [text] = group;
    return typeof text === "string" ? parseTotal(text) : undefined;
  });
  const missing = ids.filter((_, at) => totals[at] === undefined);
  if (missing.length === 0) return totals.map((total) => total ?? 0);
  const queries = missing.map((id) => ({ id, since: Infinity }));
  const states = (await readStates(options, queries)).values();
  return totals.map((total) => {
    if (total !== undefined) return total;
    const { value: state } = states.next();
    return state instanceof Failure ? state : state?.hits ?? 0;
  });
}

/** Reads counters, see {@linkcode readCounters}. Undefined for a counter that does not exist. */
export async function readStates(
  options: RedisStoreOptions,
  queries: readonly HistoryQuery[],
): Promise<readonly (CounterState | Failure | undefined)[]> {
  const counters = await readCounters(options, queries);
  const now = currentDays(options.calendar);
  // MGET shows values of another type as missing. GET refuses them.
  const missing = counters.flatMap((counter) =>
    counter instanceof Failure || counter.record.exists ? [] : [["GET", counter.key]]
  );
  const replies = (missing.length > 0 ? await options.link.send(missing) : []).values();
  return counters.map((counter) => {
    if (counter instanceof Failure) return counter;
    if (counter.record.exists) return stateOf(counter.record, now);
    const { value: reply } = replies.next();
    return reply?.kind === "done" ? undefined : failureOf(reply, "store-unavailable");
  });
}

/** A counter as it was read. */
export interface StoredCounter {
  readonly id: CounterId;
  readonly key: string;
  readonly texts: StoredTexts;
  readonly record: CounterRecord;
}

/**
 * Reads the entries of counters with the years from `since` on, those of one counter as they were
 * at one instant, and whether an addition with a name was made before. If `since` is Infinity,
 * reads the total alone. A value that is not a string is read as if it did not exist.
 */
export async function readCounters(
  { link, prefix, calendar, onAhead }: RedisStoreOptions,
  queries: readonly (HistoryQuery & { readonly name?: string | undefined })[],
): Promise<readonly (StoredCounter | Failure)[]> {
  const now = currentDays(calendar);
  const found: (StoredCounter | Failure)[] = [];
  let pending = queries.map((query, index) => ({ ...query, index, years: NO_YEARS }));
  while (pending.length > 0) {
    const groups = await readGroups(
      link,
      pending.map(({ id, since, name, years }) => {
        const key = prefix + id;
        if (since === Infinity) return [key];
        const names = ["days", "report", ...years.map((year) => `days${year}`)];
        if (name !== undefined) names.push(additionName(name));
        return [key, ...names.map((name) => relatedKey(key, name))];
      }),
    );
    pending = pending.filter((query, at) => {
      const group = groups[at] ?? new Failure("store-unavailable");
      if (group instanceof Failure) {
        found[query.index] = group;
        return false;
      }
      const { id, since, name } = query;
      const [total = null, ledgerText = null, report = null] = group;
      const ledger = parseLedger(ledgerText);
      // The ledger tells the years to read. A year may end between two reads.
      const years = ledger === undefined ? NO_YEARS : yearsSince(ledger, since);
      if (years.join() !== query.years.join()) {
        query.years = years;
        return true;
      }
      if (ledger !== undefined && isAhead(ledger.openDay, now)) onAhead(id);
      const entries = years.map((year, index) => [year, group[3 + index] ?? null] as const);
      const texts = { total, ledger: ledgerText, report, years: entries };
      const isRepeat = name !== undefined && group.at(-1) !== null;
      const record = { ...recordOf(texts, ledger), isRepeat };
      found[query.index] = { id, key: prefix + id, texts, record };
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
  link: StoreLink,
  groups: readonly (readonly string[])[],
): Promise<readonly (readonly (string | null)[] | Failure)[]> {
  const sent = link.multiKeyAcrossSlots ? [groups.flat()] : groups;
  const replies = await link.send(sent.map((keys) => ["MGET", ...keys]));
  // One key that the user may not read must not fail the others.
  if (groups.length > sent.length && isRefused(replies[0], "missingKey")) {
    return (await Promise.all(groups.map((group) => readGroups(link, [group])))).flat();
  }
  let next = 0;
  return groups.map(({ length }, at) => {
    const reply = replies[link.multiKeyAcrossSlots ? 0 : at];
    if (reply?.kind !== "done" || !Array.isArray(reply.value)) {
      return failureOf(reply, "store-unavailable");
    }
    return link.multiKeyAcrossSlots ? reply.value.slice(next, next += length) : reply.value;
  });
}
