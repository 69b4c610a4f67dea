import { MAX_ID_BYTES } from "../../domain/counter_id.ts";
import {
  type Day,
  DAY_MS,
  isOpenYear,
  isYearEntry,
  type OpenYear,
  type Report,
  type YearEntry,
} from "../../domain/history.ts";

/** The first part of every key except those of totals. */
export const INTERNAL = "tallymark";

/** Returns the key of the salt of a day, which the counters of all prefixes share. */
export function saltKey(day: Day): Deno.KvKey {
  return [INTERNAL, "salt", day];
}

/**
 * Returns the bucket of a time. Idempotency keys are stored by buckets, so that they can be deleted
 * together. A key is searched in the present bucket and the one before.
 */
export function dayBucketAt(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** Returns the idempotency key of an addition, which no hit can have. */
export function additionKey(name: string): string {
  return `+${name}`;
}

/** Maximum number of mutations in a commit. With the largest values, they have 750 of 800 KiB. */
const MUTATIONS_PER_COMMIT = 250;
/** Maximum size of all keys that a commit writes, in bytes. */
const KEY_BYTES_PER_COMMIT = 80_000;
/** Maximum size of the rest of a key: names, a number, a caller's key and separators. */
const OTHER_KEY_BYTES = 110;

/** The keys of everything that belongs to the counters of one `STORE_PREFIX`. */
export type KvKeys = ReturnType<typeof kvKeys>;

/** Returns the keys of the counters of one `STORE_PREFIX`. */
export function kvKeys(prefix: string) {
  const maxKeyBytes = new TextEncoder().encode(prefix).length + MAX_ID_BYTES + OTHER_KEY_BYTES;
  return {
    /** The total of a counter, a KvU64. */
    total: (id: string): Deno.KvKey => [prefix, id],
    /** Not next to the total, which would make every commit more expensive. */
    ledger: (id: string): Deno.KvKey => [INTERNAL, "days", prefix, id],
    year: (id: string, year: number): Deno.KvKey => [INTERNAL, "years", prefix, id, year],
    /** The number of the first hit with the key, or of an addition, in its day bucket. */
    idempotencyKey: (id: string, key: string, bucket: number): Deno.KvKey => {
      return [INTERNAL, "once", bucket, prefix, id, key];
    },
    /** A visitor with a hit on a day. */
    visitor: (visitor: string, day: Day): Deno.KvKey => [INTERNAL, "seen", day, prefix, visitor],
    /** The deletion of a counter, in its day bucket. Deduplication keys from before are void. */
    deleted: (id: string, bucket: number): Deno.KvKey => [INTERNAL, "deleted", bucket, prefix, id],
    /** A row of the journal. */
    row: (number: number): Deno.KvKey => [INTERNAL, "journal", prefix, number],
    /** Maximum number of mutations in a commit, fewer than usual with a long prefix. */
    perCommit: Math.min(MUTATIONS_PER_COMMIT, Math.floor(KEY_BYTES_PER_COMMIT / maxKeyBytes)),
  };
}

/** Encodes a ledger and the last report, each number of the ledger in as few bytes as it needs. */
export function encodeLedger(
  { openDay, totalAtDayStart, firstYear, before }: OpenYear,
  report?: Report | null,
): Uint8Array {
  const sign = totalAtDayStart < 0 ? 1 : 0;
  const numbers = [openDay, 2 * (firstYear ?? 0) + sign, Math.abs(totalAtDayStart), ...before];
  const bytes = encode(numbers);
  if (report) addReport(bytes, report);
  return new Uint8Array(bytes);
}

/** Decodes a ledger. Returns undefined if the value is not a valid one. */
export function decodeLedger(value: unknown): OpenYear | undefined {
  const [openDay = NaN, yearAndSign = NaN, size = NaN, ...before] = decode(value);
  const firstYear = Math.floor(yearAndSign / 2) || undefined;
  const totalAtDayStart = yearAndSign % 2 === 1 ? -size : size;
  const ledger = { openDay, totalAtDayStart, firstYear, before };
  return isOpenYear(ledger) ? ledger : undefined;
}

/** Encodes the days of a year. The year itself is in the key. */
export function encodeYear({ last, hits }: YearEntry): Uint8Array {
  return new Uint8Array(encode([last, ...hits]));
}

/** Decodes the days of a year. Returns undefined if the value is not valid for that year. */
export function decodeYear(value: unknown, year: number): YearEntry | undefined {
  const [last = NaN, ...hits] = decode(value);
  const entry = { year, last, hits };
  return isYearEntry(entry) ? entry : undefined;
}

/** Size of each number of a report, in bytes. */
const REPORT_NUMBER_BYTES = 8;

/**
 * Adds a report to the end of a ledger. The highest bit of each byte is set, so that earlier
 * versions read an unfinished number and ignore it.
 */
function addReport(bytes: number[], { seen, at }: Report): void {
  for (let rest of [seen, at]) {
    for (let place = 0; place < REPORT_NUMBER_BYTES; place++, rest = Math.floor(rest / 128)) {
      bytes.push(rest % 128 + 128);
    }
  }
}

/** Decodes the report at the end of a ledger. Returns undefined if there is none. */
export function decodeReport(ledger: unknown): Report | undefined {
  if (!(ledger instanceof Uint8Array)) return undefined;
  const bytes = ledger.subarray(-2 * REPORT_NUMBER_BYTES);
  if (bytes.length < 2 * REPORT_NUMBER_BYTES || bytes.some((byte) => byte < 128)) return undefined;
  const number = (part: Uint8Array) => part.reduceRight((sum, byte) => sum * 128 + byte % 128, 0);
  const seen = number(bytes.subarray(0, REPORT_NUMBER_BYTES));
  return { seen, at: number(bytes.subarray(REPORT_NUMBER_BYTES)) };
}

/** Encodes whole numbers as LEB128: seven bits in each byte, the lowest first. */
function encode(numbers: readonly number[]): number[] {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    // Not by shifts, which end at 32 bits.
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128);
    bytes.push(rest);
  }
  return bytes;
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
