import type { CounterId } from "../../counter/counter_id.ts";
import { firstDayOf, type YearEntry } from "../../counter/days.ts";
import { MAX_HITS, type Outcome } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { CounterRecord } from "../planner.ts";
import { decodeLedger, decodeReport, decodeYear, type KvKeys } from "./layout.ts";
import { KEYS_PER_READ } from "./limits.ts";

/** A counter as Deno KV holds it. */
export interface KvRecord extends CounterRecord {
  /** Changes with every write of the entry. Null if there is none. */
  readonly versionstamp: string | null;
  /**
   * Changes with every write of the ledger. Null if there is none, undefined if it was not read.
   */
  readonly ledgerStamp?: string | null | undefined;
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
  /** Returns the total of a counter in the newest row of the journal. */
  journaled(id: CounterId): JournalTotal | undefined;
  /** Called with a counter whose days are damaged. They count as none. */
  onDamaged(id: string): void;
}

export type KvEntry = Deno.KvEntryMaybe<unknown>;

/** The entries of a counter, in the order in which they are read. */
const PARTS = ["total", "ledger", "report"] as const;

/**
 * Reads records up to one of their parts, in the order of the ids. The parts of a record are from
 * one instant.
 */
export async function readRecords(
  place: KvPlace,
  ids: readonly CounterId[],
  last: typeof PARTS[number] = "ledger",
): Promise<KvRecord[]> {
  const { kv, keys } = place;
  // Before the entries: if a total moves from the journal to its entry now, the entry is newer.
  const rows = ids.map((id) => place.journaled(id));
  const parts = PARTS.slice(0, PARTS.indexOf(last) + 1);
  const wanted = ids.flatMap((id) => parts.map((part) => keys[part](id)));
  const found = await readKeys(kv, wanted, parts.length);
  return rows.map((row, index) => {
    const [total, ledger, report] = found.slice(index * parts.length, (index + 1) * parts.length);
    return recordOf(place, { total, ledger, report, row });
  });
}

/**
 * Reads records for updates, whose commits check the totals, so that a ledger of another instant
 * does no harm. Most counters of an import are new, and have no ledger to read.
 */
export async function readForUpdates(
  place: KvPlace,
  ids: readonly CounterId[],
): Promise<KvRecord[]> {
  const { kv, keys } = place;
  const rows = ids.map((id) => place.journaled(id));
  const totals = await readKeys(kv, ids.map((id) => keys.total(id)));
  const stored = ids.filter((_, index) => totals[index]?.versionstamp);
  const ledgers = (await readKeys(kv, stored.map((id) => keys.ledger(id)))).values();
  return rows.map((row, index) => {
    const total = totals[index];
    return recordOf(place, {
      total,
      row,
      ledger: total?.versionstamp ? ledgers.next().value : undefined,
    });
  });
}

/** Reads entries, in the order of the keys. Groups of `together` keys are from one instant. */
async function readKeys(
  kv: Deno.Kv,
  keys: readonly Deno.KvKey[],
  together = 1,
): Promise<KvEntry[]> {
  const reads: Promise<KvEntry[]>[] = [];
  const size = KEYS_PER_READ - KEYS_PER_READ % together;
  for (let start = 0; start < keys.length; start += size) {
    reads.push(kv.getMany<unknown[]>(keys.slice(start, start + size)));
  }
  return (await Promise.all(reads)).flat();
}

/** The entries of a counter, and the row that the journal had before they were read. */
interface CounterEntries {
  readonly total: KvEntry | undefined;
  readonly ledger?: KvEntry | undefined;
  readonly report?: KvEntry | undefined;
  readonly row: JournalTotal | undefined;
}

/** Converts entries to a record. A row counts if it is newer than the entry of the total. */
export function recordOf(
  place: KvPlace,
  { total, ledger, report, row }: CounterEntries,
): KvRecord {
  const valid = ledger && decodeLedger(ledger.value);
  const isDamaged = valid === undefined && typeof ledger?.versionstamp === "string";
  if (isDamaged) place.onDamaged(String(ledger.key.at(-1)));
  const versionstamp = total?.versionstamp ?? null;
  const isJournaled = row !== undefined && versionstamp !== null && row.versionstamp > versionstamp;
  return {
    total: isJournaled ? row.total : totalIn(total),
    exists: versionstamp !== null,
    openDay: valid?.openDay ?? -Infinity,
    versionstamp,
    ledger: isDamaged ? "damaged" : valid,
    ledgerStamp: ledger?.versionstamp,
    ...report && { report: decodeReport(report.value) },
  };
}

function totalIn(entry: KvEntry | undefined): Outcome {
  if (!entry?.versionstamp) return 0;
  const { value } = entry;
  const isTotal = value instanceof Deno.KvU64 && value.value <= BigInt(MAX_HITS);
  return isTotal ? Number(value.value) : new Problem("not-a-counter");
}

/** Reads the days of closed years. */
export async function readYears(
  place: KvPlace,
  { id, years }: { id: CounterId; years: readonly number[] },
): Promise<YearEntry[]> {
  const found = await readKeys(place.kv, years.map((year) => place.keys.year(id, year)));
  return found.flatMap((entry) => entry.versionstamp === null ? [] : yearOf(place, entry));
}

/** Reads the days of all years that are stored, also of those that no ledger refers to. */
export async function readAllYears(place: KvPlace, id: CounterId): Promise<YearEntry[]> {
  const prefix = place.keys.year(id, 0).slice(0, -1);
  const found = await Array.fromAsync(place.kv.list<unknown>({ prefix }));
  return found.map((entry) => yearOf(place, entry));
}

/** Converts the entry of a year. A damaged year has no days. */
export function yearOf(place: KvPlace, { key, value }: KvEntry): YearEntry {
  const year = Number(key.at(-1));
  const valid = decodeYear(value, year);
  if (valid === undefined) place.onDamaged(String(key.at(-2)));
  return valid ?? { year, last: firstDayOf(year), hits: [] };
}
