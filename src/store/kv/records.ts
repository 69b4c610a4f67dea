import { type Calendar, currentDays, isAhead } from "../../domain/calendar.ts";
import type { CounterId } from "../../domain/counter_id.ts";
import {
  type CounterRecord,
  type Day,
  LAST_DAY,
  yearOf,
  yearsSince,
} from "../../domain/history.ts";
import { type HistoryQuery, MAX_HITS, type Outcome } from "../../domain/store.ts";
import { Failure } from "../../domain/errors.ts";
import { decodeLedger, decodeReport, decodeYear, type KvKeys } from "./kv_layout.ts";

/** A counter as Deno KV holds it. */
export interface KvRecord extends CounterRecord {
  readonly id: CounterId;
  /** Changes with every write of the entry. Null if there is none. */
  readonly versionstamp: string | null;
  /** The versionstamp of the ledger. Undefined if it was not read. */
  readonly ledgerStamp?: string | null | undefined;
  /** The counter that this one is moved to. */
  readonly target?: KvRecord | undefined;
}

/** A total in a row of the journal, with the versionstamp of the row. */
export interface JournalTotal {
  readonly total: number;
  readonly versionstamp: string;
}

/** A Deno KV and the keys of the counters in it. */
export interface KvPlace {
  readonly kv: Deno.Kv;
  readonly keys: KvKeys;
  /** True if other processes write to the database as well. */
  readonly isShared: boolean;
  /** The calendar whose days hits belong to. */
  readonly calendar: Calendar;
  /** Returns the total of a counter in the newest row of the journal. */
  journaled(id: CounterId): JournalTotal | undefined;
  /** Called with a counter whose open day is ahead. */
  onAhead(id: string): void;
}

/** Maximum number of keys in one `getMany` (docs.deno.com, "Key-value store limits"). */
export const KEYS_PER_READ = 10;

export type KvEntry = Deno.KvEntryMaybe<unknown>;

/** Reads totals alone, in the order of the ids. */
export async function readTotals(place: KvPlace, ids: readonly CounterId[]): Promise<KvRecord[]> {
  const totals = await readKeys(place.kv, ids.map((id) => place.keys.total(id)));
  return ids.map((id, index) => recordOf(place, id, [totals[index]]));
}

/** Reads totals and ledgers, in the order of the ids. Both of a record are from one instant. */
async function readRecords(place: KvPlace, ids: readonly CounterId[]): Promise<KvRecord[]> {
  const { kv, keys } = place;
  const found = await readKeys(kv, ids.flatMap((id) => [keys.total(id), keys.ledger(id)]));
  return ids.map((id, index) => recordOf(place, id, found.slice(2 * index, 2 * index + 2)));
}

/** Reads records with the closed years from `since` on, each from one instant. */
export async function readHistories(
  place: KvPlace,
  queries: readonly HistoryQuery[],
): Promise<KvRecord[]> {
  const records = await readRecords(place, queries.map(({ id }) => id));
  return await Promise.all(records.map((record, index) => {
    return withHistory(place, record, queries[index]?.since ?? -Infinity);
  }));
}

/**
 * Closed years change only together with the ledger. If another process changes that, they are read
 * again.
 */
async function withHistory(place: KvPlace, record: KvRecord, since: Day): Promise<KvRecord> {
  const read = await withYears(place, record, since);
  if (read.years === undefined || !place.isShared) return read;
  const [after = read] = await readRecords(place, [read.id]);
  return after.ledgerStamp === read.ledgerStamp ? read : await withHistory(place, after, since);
}

/** Adds the closed years from `since` on, or all of them if the open day is ahead. */
export async function withYears<Read extends KvRecord>(
  { kv, keys, calendar }: KvPlace,
  record: Read,
  since: Day,
): Promise<Read> {
  const { id, ledger } = record;
  if (ledger === undefined) return record;
  const needsAll = isAhead(ledger.openDay, currentDays(calendar));
  const years = needsAll ? [0, yearOf(LAST_DAY)] : yearsSince(ledger, since);
  const [first, last] = [years[0], years.at(-1)];
  if (first === undefined || last === undefined) return record;
  const range = { start: keys.year(id, first), end: keys.year(id, last + 1) };
  const entries = await Array.fromAsync(kv.list<unknown>(range));
  return addYears(record, entries);
}

/** Adds closed years to a record. */
export function addYears<Read extends KvRecord>(record: Read, entries: readonly KvEntry[]): Read {
  const years = entries.flatMap(({ key, value }) => decodeYear(value, Number(key.at(-1))) ?? []);
  return { ...record, years, ...years.length < entries.length && { total: NOT_A_COUNTER } };
}

/** Reads entries, in the order of the keys. Two that follow each other are from one instant. */
async function readKeys(kv: Deno.Kv, keys: readonly Deno.KvKey[]): Promise<KvEntry[]> {
  const reads: Promise<KvEntry[]>[] = [];
  for (let start = 0; start < keys.length; start += KEYS_PER_READ) {
    reads.push(kv.getMany<unknown[]>(keys.slice(start, start + KEYS_PER_READ)));
  }
  return (await Promise.all(reads)).flat();
}

/** Converts entries to a record. A row of the journal counts if it is newer than the total. */
export function recordOf(
  place: KvPlace,
  id: CounterId,
  [total, ledger]: readonly (KvEntry | undefined)[],
): KvRecord {
  const row = place.journaled(id);
  const versionstamp = total?.versionstamp ?? null;
  const isJournaled = row !== undefined && versionstamp !== null && row.versionstamp > versionstamp;
  const ledgerStamp = ledger?.versionstamp;
  const valid = decodeLedger(ledger?.value);
  const isInvalid = valid === undefined && typeof ledgerStamp === "string";
  if (valid !== undefined && isAhead(valid.openDay, currentDays(place.calendar))) place.onAhead(id);
  return {
    id,
    total: isInvalid ? NOT_A_COUNTER : isJournaled ? row.total : totalIn(total),
    exists: versionstamp !== null,
    openDay: valid?.openDay ?? -Infinity,
    versionstamp,
    ledger: valid,
    ledgerStamp,
    report: valid && decodeReport(ledger?.value),
  };
}

function totalIn(entry: KvEntry | undefined): Outcome {
  if (!entry?.versionstamp) return 0;
  const { value } = entry;
  const isTotal = value instanceof Deno.KvU64 && value.value <= BigInt(MAX_HITS);
  return isTotal ? Number(value.value) : NOT_A_COUNTER;
}

const NOT_A_COUNTER = new Failure("not-a-counter");
