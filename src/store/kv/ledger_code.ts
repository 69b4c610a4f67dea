import { isLedger, isYearEntry, type Ledger, type YearEntry } from "../../counter/days.ts";

/** A ledger as bytes: most numbers are small, so each takes as many bytes as it needs. */
export function encodeLedger({ openDay, opening, firstYear, before }: Ledger): Uint8Array {
  const sign = opening < 0 ? 1 : 0;
  return encode([openDay, 2 * (firstYear ?? 0) + sign, Math.abs(opening), ...before]);
}

/** The ledger that bytes tell; undefined for a value that is none, or that holds what no ledger can. */
export function decodeLedger(value: unknown): Ledger | undefined {
  const [openDay, yearAndSign, size, ...before] = decode(value);
  if (openDay === undefined || yearAndSign === undefined || size === undefined) return undefined;
  const firstYear = Math.floor(yearAndSign / 2) || undefined;
  const ledger = { openDay, opening: yearAndSign % 2 === 1 ? -size : size, firstYear, before };
  return isLedger(ledger) ? ledger : undefined;
}

/** The days of a year as bytes; the year itself is in the key. */
export function encodeYear({ last, hits }: YearEntry): Uint8Array {
  return encode([last, ...hits]);
}

/** The days of a year that bytes tell; undefined for a value that is none, or that holds what no year can. */
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
