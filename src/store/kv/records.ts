import type { CounterId } from "../../counter/counter_id.ts";
import {
  type CounterState,
  type Day,
  daysOf,
  firstDayOf,
  type Ledger,
  type YearEntry,
  yearsSince,
} from "../../counter/days.ts";
import type { KnownKeys } from "../../counter/once.ts";
import { type HistoryQuery, MAX_HITS, type Outcome } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { KvDatabase } from "./database.ts";
import { decodeLedger, decodeYear, type KvKeys } from "./layout.ts";
import { KEYS_PER_READ } from "./limits.ts";

/** A counter as Deno KV holds it. */
export interface KvRecord {
  readonly outcome: Outcome;
  /** Changes with every write; null if nothing is stored. */
  readonly versionstamp: string | null;
  /** The day that is known to be open; -Infinity if none is, or if the ledger was not read. */
  readonly openDay: Day;
  /** Undefined if there is none, or if it was not read. */
  readonly ledger?: Ledger | undefined;
  /** Changes with every write of the ledger; null if there is none. */
  readonly ledgerStamp?: string | null;
  /** The closed years, if they were read. */
  readonly years?: readonly YearEntry[];
  /** Which deduplication keys are stored, if they were read. */
  readonly known?: KnownKeys;
}

/** A counter to read, and whether to read its ledger too. */
export interface RecordQuery {
  readonly id: CounterId;
  readonly withLedger: boolean;
}

/** A Deno KV and where it keeps counters. */
export interface KvPlace {
  kv: Deno.Kv;
  keys: KvKeys;
  /** Called with a counter whose days are not as this service writes them; they count as none. */
  onDamaged(id: string): void;
}

/** Reads counters, in the order of the queries; a total and its ledger are of one instant. */
export async function readRecords(
  place: KvPlace,
  queries: readonly RecordQuery[],
): Promise<KvRecord[]> {
  const { kv, keys } = place;
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  let batch: Deno.KvKey[] = [];
  for (const { id, withLedger } of queries) {
    // Both in one read, or the ledger might be of another day than the total.
    if (batch.length + (withLedger ? 2 : 1) > KEYS_PER_READ) {
      reads.push(kv.getMany<unknown[]>(batch));
      batch = [];
    }
    batch.push(keys.total(id));
    if (withLedger) batch.push(keys.ledger(id));
  }
  if (batch.length > 0) reads.push(kv.getMany<unknown[]>(batch));
  const found = (await Promise.all(reads)).flat();
  let next = 0;
  return queries.map(({ withLedger }) => {
    return recordOf(place, found[next++], withLedger ? found[next++] : undefined);
  });
}

/** Reads entries, in the order of the keys. */
export async function readKeys(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
): Promise<Deno.KvEntryMaybe<unknown>[]> {
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  for (let start = 0; start < keys.length; start += KEYS_PER_READ) {
    reads.push(kv.getMany<unknown[]>(keys.slice(start, start + KEYS_PER_READ)));
  }
  return (await Promise.all(reads)).flat();
}

/** The record in the entries of a total and its ledger, which is undefined if it was not read. */
export function recordOf(
  place: KvPlace,
  total: Deno.KvEntryMaybe<unknown> | undefined,
  days?: Deno.KvEntryMaybe<unknown>,
): KvRecord {
  const ledger = days && decodeLedger(days.value);
  if (ledger === undefined && days?.versionstamp) place.onDamaged(String(days.key.at(-1)));
  return {
    outcome: outcomeOf(total),
    versionstamp: total?.versionstamp ?? null,
    openDay: ledger?.openDay ?? -Infinity,
    ledger,
    ledgerStamp: days?.versionstamp ?? null,
  };
}

function outcomeOf(total: Deno.KvEntryMaybe<unknown> | undefined): Outcome {
  if (!total?.versionstamp) return 0;
  const { value } = total;
  const counter = value instanceof Deno.KvU64 && value.value <= BigInt(MAX_HITS);
  return counter ? Number(value.value) : new Problem("not-a-counter");
}

/** Whether there is a ledger that cannot be one. */
export function isDamaged({ ledger, ledgerStamp }: KvRecord): boolean {
  return ledger === undefined && (ledgerStamp ?? null) !== null;
}

/** Reads the days of closed years. */
export async function readYears(
  place: KvPlace,
  { id, years }: { id: CounterId; years: readonly number[] },
): Promise<YearEntry[]> {
  const { kv, keys } = place;
  const found = await readKeys(kv, years.map((year) => keys.year(id, year)));
  return found.flatMap((entry) => entry.versionstamp === null ? [] : yearIn(place, entry));
}

/** Reads the days of all years that are stored, whatever the ledger says of them. */
export async function readAllYears(place: KvPlace, id: CounterId): Promise<YearEntry[]> {
  const { kv, keys } = place;
  const prefix = keys.year(id, 0).slice(0, -1);
  const found = await Array.fromAsync(kv.list<unknown>({ prefix }));
  return found.map((entry) => yearIn(place, entry));
}

/** The year in an entry, without days if it is damaged. */
export function yearIn(place: KvPlace, entry: Deno.KvEntry<unknown>): YearEntry {
  const year = Number(entry.key.at(-1));
  const known = decodeYear(entry.value, year);
  if (known === undefined) place.onDamaged(String(entry.key.at(-2)));
  return known ?? { year, last: firstDayOf(year), hits: [] };
}

/** Reads records with their ledgers and the closed years from `since` on, each of one instant, in the order of the queries. */
export async function readHistories(
  database: KvDatabase,
  queries: readonly HistoryQuery[],
): Promise<KvRecord[]> {
  const records = await database.read(queries.map(({ id }) => ({ id, withLedger: true })));
  return await Promise.all(records.map((record, index) => {
    const query = queries[index];
    return query === undefined ? record : withYearsSince(database, query, record);
  }));
}

/** Closed years change only together with the ledger: if that changes meanwhile, they are read again. */
async function withYearsSince(
  database: KvDatabase,
  { id, since }: HistoryQuery,
  record: KvRecord,
): Promise<KvRecord> {
  const years = record.ledger === undefined ? [] : yearsSince(record.ledger, since);
  if (years.length === 0) return record;
  const entries = await readYears(database, { id, years });
  const [after = record] = await database.read([{ id, withLedger: true }]);
  if (after.ledgerStamp === record.ledgerStamp) return { ...after, years: entries };
  return await withYearsSince(database, { id, since }, after);
}

/** What a counter holds, as far as the years in its record reach; the problem if it is none. */
export function contentOf({ outcome, ledger, years = [] }: KvRecord): CounterState | Problem {
  if (typeof outcome !== "number") return outcome;
  return { hits: outcome, days: ledger && daysOf({ ledger, years }, outcome) };
}
