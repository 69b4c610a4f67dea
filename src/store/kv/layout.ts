import { MAX_ID_BYTES } from "../../counter/counter_id.ts";
import {
  type Day,
  isOpenYear,
  isYearEntry,
  type OpenYear,
  type Report,
  type YearEntry,
} from "../../counter/days.ts";

/** The first part of every key except those of totals. */
export const OWN = "tallymark";

/** Returns the key of the salt of a day, which the counters of all prefixes share. */
export function saltKey(day: Day): Deno.KvKey {
  return [OWN, "salt", day];
}

/**
 * Maximum size of a key apart from prefix and id: names, a number, a caller's key and separators.
 */
const OTHER_KEY_BYTES = 110;

/** The keys of everything that belongs to the counters under a prefix. */
export type KvKeys = ReturnType<typeof kvKeys>;

/** Returns the keys of the counters under a prefix. */
export function kvKeys(prefix: string) {
  return {
    /** The total of a counter, a KvU64. */
    total: (id: string): Deno.KvKey => [prefix, id],
    /** Not next to the total, which would make every commit more expensive. */
    ledger: (id: string): Deno.KvKey => [OWN, "days", prefix, id],
    /** The last report of another service's total, if there was one. */
    report: (id: string): Deno.KvKey => [OWN, "report", prefix, id],
    year: (id: string, year: number): Deno.KvKey => [OWN, "years", prefix, id, year],
    /** The number of the first hit with an idempotency key, in its day bucket. */
    once: (id: string, { key, bucket }: { key: string; bucket: number }): Deno.KvKey => {
      return [OWN, "once", bucket, prefix, id, key];
    },
    seen: (visitor: string, day: Day): Deno.KvKey => [OWN, "seen", day, prefix, visitor],
    /** The deletion of a counter, in its day bucket. Deduplication keys from before are void. */
    deleted: (id: string, bucket: number): Deno.KvKey => [OWN, "deleted", bucket, prefix, id],
    /** A row of the journal. */
    row: (number: number): Deno.KvKey => [OWN, "journal", prefix, number],
    /** Maximum size of these keys, in bytes. */
    maxBytes: new TextEncoder().encode(prefix).length + MAX_ID_BYTES + OTHER_KEY_BYTES,
  };
}

/** Encodes a ledger. Most numbers are small, so each takes as many bytes as it needs. */
export function encodeLedger(
  { openDay, totalAtDayStart, firstYear, before }: OpenYear,
): Uint8Array {
  const sign = totalAtDayStart < 0 ? 1 : 0;
  return encode([openDay, 2 * (firstYear ?? 0) + sign, Math.abs(totalAtDayStart), ...before]);
}

/** Decodes a ledger. Returns undefined if the value is not a valid one. */
export function decodeLedger(value: unknown): OpenYear | undefined {
  const [openDay, yearAndSign, size, ...before] = decode(value);
  if (openDay === undefined || yearAndSign === undefined || size === undefined) return undefined;
  const firstYear = Math.floor(yearAndSign / 2) || undefined;
  const totalAtDayStart = yearAndSign % 2 === 1 ? -size : size;
  const ledger = { openDay, totalAtDayStart, firstYear, before };
  return isOpenYear(ledger) ? ledger : undefined;
}

/** Encodes the days of a year. The year itself is in the key. */
export function encodeYear({ last, hits }: YearEntry): Uint8Array {
  return encode([last, ...hits]);
}

/** Decodes the days of a year. Returns undefined if the value is not valid for that year. */
export function decodeYear(value: unknown, year: number): YearEntry | undefined {
  const [last, ...hits] = decode(value);
  if (last === undefined) return undefined;
  const entry = { year, last, hits };
  return isYearEntry(entry) ? entry : undefined;
}

/** Encodes a report. */
export function encodeReport({ seen, at }: Report): Uint8Array {
  return encode([seen, at]);
}

/** Decodes a report. Returns undefined if the value is not one. */
export function decodeReport(value: unknown): Report | undefined {
  const [seen = NaN, at = NaN] = decode(value);
  return Number.isSafeInteger(seen) && Number.isSafeInteger(at) ? { seen, at } : undefined;
}

/**
 * Encodes whole numbers, seven bits a byte, the lowest first. The highest bit: more follow
 * (LEB128).
 */
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
