import type { CounterId } from "../../counter/counter_id.ts";
import { type Day, firstDayOf, type Ledger, type YearEntry } from "../../counter/days.ts";
import type { KnownMarks } from "../../counter/once.ts";
import { MAX_HITS, type Outcome } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { KvKeys } from "./kv_keys.ts";
import { KEYS_PER_READ } from "./kv_limits.ts";
import { decodeLedger, decodeYear } from "./ledger_code.ts";

/** A counter as Deno KV holds it. */
export interface KvRecord {
  readonly outcome: Outcome;
  /** Changes with every write; null where nothing is held. */
  readonly versionstamp: string | null;
  /** The day that is known to be open; -Infinity where none is, and where the ledger was not asked for. */
  readonly openDay: Day;
  /** Undefined where there is none, and where it was not asked for. */
  readonly ledger?: Ledger | undefined;
  /** Changes with every write of the ledger; null where there is none. */
  readonly ledgerStamp?: string | null;
  /** The years that are over, where they were asked for. */
  readonly years?: readonly YearEntry[];
  /** Which marks are there, where they were asked for. */
  readonly marks?: KnownMarks;
}

/** A counter to ask for, and whether to ask for its ledger too. */
export interface Question {
  readonly id: CounterId;
  readonly withLedger: boolean;
}

/** A Deno KV and where it keeps counters. */
export interface KvPlace {
  kv: Deno.Kv;
  keys: KvKeys;
  /** To be told of a counter whose days are not as this service writes them; they are taken to be none. */
  onDamaged(id: string): void;
}

/** Asks for counters, in the order of the questions; a total and its ledger are of one instant. */
export async function readRecords(
  place: KvPlace,
  questions: readonly Question[],
): Promise<KvRecord[]> {
  const { kv, keys } = place;
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  let batch: Deno.KvKey[] = [];
  for (const { id, withLedger } of questions) {
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
  return questions.map(({ withLedger }) => {
    return recordOf(place, found[next++], withLedger ? found[next++] : undefined);
  });
}

/** Asks for the days of years that are over. */
export async function readYears(
  place: KvPlace,
  { id, years }: { id: CounterId; years: readonly number[] },
): Promise<YearEntry[]> {
  const { kv, keys } = place;
  const found = await readKeys(kv, years.map((year) => keys.year(id, year)));
  return found.flatMap((entry) => entry.versionstamp === null ? [] : yearIn(place, entry));
}

/** Asks for the days of all years that are there, whatever the ledger says of them. */
export async function readAllYears(place: KvPlace, id: CounterId): Promise<YearEntry[]> {
  const { kv, keys } = place;
  const prefix = keys.year(id, 0).slice(0, -1);
  const found = await Array.fromAsync(kv.list<unknown>({ prefix }));
  return found.map((entry) => yearIn(place, entry));
}

/** The year that an entry holds, without days where it is damaged. */
export function yearIn(place: KvPlace, entry: Deno.KvEntry<unknown>): YearEntry {
  const year = Number(entry.key.at(-1));
  const known = decodeYear(entry.value, year);
  if (known === undefined) place.onDamaged(String(entry.key.at(-2)));
  return known ?? { year, last: firstDayOf(year), hits: [] };
}

/** Asks for entries, in the order of the keys. */
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

/** The record that a total and its ledger tell; the ledger is undefined where it was not asked for. */
export function recordOf(
  place: KvPlace,
  total: Deno.KvEntryMaybe<unknown> | undefined,
  days?: Deno.KvEntryMaybe<unknown>,
): KvRecord {
  const ledger = decodeLedger(days?.value);
  if (ledger === undefined && days?.versionstamp) place.onDamaged(String(days.key.at(-1)));
  return {
    outcome: outcomeOf(total),
    versionstamp: total?.versionstamp ?? null,
    openDay: ledger?.openDay ?? -Infinity,
    ledger,
    ledgerStamp: days?.versionstamp ?? null,
  };
}

/** Whether there is a ledger that cannot be one. */
export function isDamaged({ ledger, ledgerStamp }: KvRecord): boolean {
  return ledger === undefined && (ledgerStamp ?? null) !== null;
}

function outcomeOf(total: Deno.KvEntryMaybe<unknown> | undefined): Outcome {
  if (!total?.versionstamp) return 0;
  const { value } = total;
  const counter = value instanceof Deno.KvU64 && value.value <= BigInt(MAX_HITS);
  return counter ? Number(value.value) : new Problem("not-a-counter");
}
