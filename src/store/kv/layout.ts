import { MAX_ID_BYTES } from "../../counter/counter_id.ts";
import {
  type Day,
  isLedger,
  isYearEntry,
  type Ledger,
  type YearEntry,
} from "../../counter/days.ts";

/** Where a Deno KV keeps what belongs to the counters under a prefix. */
export interface KvKeys {
  /** The total of a counter, a KvU64. */
  total(id: string): Deno.KvKey;
  /** The ledger of its days; not next to the total, which would make every commit more expensive. */
  ledger(id: string): Deno.KvKey;
  /** The days of a closed year. */
  year(id: string, year: number): Deno.KvKey;
  /** The number of the first hit with a deduplication key, in its day bucket. */
  once(id: string, of: { key: string; bucket: number }): Deno.KvKey;
  /** A visitor of a day. */
  seen(visitor: string, day: number): Deno.KvKey;
  /** Says, in its day bucket, that a counter was deleted: deduplication keys from before are void. */
  deleted(id: string, bucket: number): Deno.KvKey;
  /** A row of the journal. */
  row(number: number): Deno.KvKey;
  /** The most bytes that one of these keys can have. */
  readonly longest: number;
}

/** What the keys of everything but totals begin with. */
export const OWN = "tallymark";

/** Where the salt of a day lies; the counters of all prefixes share it. */
export function saltKey(day: number): Deno.KvKey {
  return [OWN, "salt", day];
}

/** Between which keys the salts of the days before one lie, as Deno KV writes them to its file (FoundationDB's tuples). */
export function saltRange(before: Day): [Uint8Array, Uint8Array] {
  const prefix = new TextEncoder().encode(`\x02${OWN}\0\x02salt\0`);
  const end = new Uint8Array(prefix.length + 9);
  end.set(prefix);
  end[prefix.length] = 0x21;
  // The sign is the first bit, and set where there is none, so that the bytes have the order of the numbers.
  new DataView(end.buffer).setFloat64(prefix.length + 1, -before);
  return [prefix, end];
}

/** What a key has beside prefix and id: names, a number, what a caller chose, and separators. */
const REST_OF_KEY = 110;

/** The keys of the counters under a prefix. */
export function kvKeys(prefix: string): KvKeys {
  return {
    total: (id) => [prefix, id],
    ledger: (id) => [OWN, "days", prefix, id],
    year: (id, year) => [OWN, "years", prefix, id, year],
    once: (id, { key, bucket }) => [OWN, "once", bucket, prefix, id, key],
    seen: (visitor, day) => [OWN, "seen", day, prefix, visitor],
    deleted: (id, bucket) => [OWN, "deleted", bucket, prefix, id],
    row: (number) => [OWN, "journal", prefix, number],
    longest: new TextEncoder().encode(prefix).length + MAX_ID_BYTES + REST_OF_KEY,
  };
}

/** A ledger as bytes: most numbers are small, so each takes as many bytes as it needs. */
export function encodeLedger({ openDay, totalAtDayStart, firstYear, before }: Ledger): Uint8Array {
  const sign = totalAtDayStart < 0 ? 1 : 0;
  return encode([openDay, 2 * (firstYear ?? 0) + sign, Math.abs(totalAtDayStart), ...before]);
}

/** Undefined for a value that is no ledger, or holds what none can. */
export function decodeLedger(value: unknown): Ledger | undefined {
  const [openDay, yearAndSign, size, ...before] = decode(value);
  if (openDay === undefined || yearAndSign === undefined || size === undefined) return undefined;
  const firstYear = Math.floor(yearAndSign / 2) || undefined;
  const ledger = {
    openDay,
    totalAtDayStart: yearAndSign % 2 === 1 ? -size : size,
    firstYear,
    before,
  };
  return isLedger(ledger) ? ledger : undefined;
}

/** The days of a year as bytes; the year itself is in the key. */
export function encodeYear({ last, hits }: YearEntry): Uint8Array {
  return encode([last, ...hits]);
}

/** Undefined for a value that is not the days of a year, or holds what they cannot. */
export function decodeYear(value: unknown, year: number): YearEntry | undefined {
  const [last, ...hits] = decode(value);
  if (last === undefined) return undefined;
  const entry = { year, last, hits };
  return isYearEntry(entry) ? entry : undefined;
}

/** Whole numbers from 0, seven bits a byte, the lowest first; the highest bit says that more follow (LEB128). */
function encode(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    // Not by shifts, which end at 32 bits.
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128);
    bytes.push(rest);
  }
  return new Uint8Array(bytes);
}

function decode(value: unknown): number[] {
  const numbers: number[] = [];
  if (!(value instanceof Uint8Array)) return numbers;
  let [number, place] = [0, 1];
  for (const byte of value) {
    number += byte % 128 * place;
    place *= 128;
    if (byte >= 128) continue;
    numbers.push(number);
    [number, place] = [0, 1];
  }
  return numbers;
}
