import {
  type CounterRecord,
  isOpenYear,
  isYearEntry,
  type OpenYear,
  type Report,
  type YearEntry,
} from "../../domain/history.ts";
import { MAX_HITS, type Outcome } from "../../domain/store.ts";
import { Failure } from "../../domain/errors.ts";
import { hashTagOf } from "./slots.ts";

/**
 * Returns the key of another entry of a counter: `days` is the ledger, `days2025` a closed year,
 * `report` the last report, and `add:…` a named addition. `epoch`, `seen20000` and `once:…` belong
 * to hits that count once. It is in the same slot of a Redis Cluster as the counter, so that one
 * script can change both. It is never the key of a counter, whatever the prefix is.
 */
export function relatedKey(key: string, name: string): string {
  if (!key.includes("}")) return `{${key}}${name}`;
  return `{${hashTagOf(key)}}${name}:${key}`;
}

/** Returns the name of the entry that an addition leaves. */
export function additionName(name: string): string {
  return `add:${name}`;
}

/** The entries of a counter as MGET returns them: null also for a value that is not a string. */
export interface StoredTexts {
  readonly total: string | null;
  readonly ledger: string | null;
  readonly report: string | null;
  /** The closed years that were read. */
  readonly years: readonly (readonly [year: number, text: string | null])[];
}

/** Returns the record that the texts of a counter describe, the ledger of which was parsed. */
export function recordOf(
  { total, report, years, ...texts }: StoredTexts,
  ledger: OpenYear | undefined,
): CounterRecord {
  const lastReport = report === null ? undefined : parseReport(report);
  const entries = years.flatMap(([year, text]) => text === null ? [] : parseYear(year, text));
  const valid = entries.filter((entry) => entry !== undefined);
  const isInvalid = texts.ledger !== null && ledger === undefined ||
    report !== null && lastReport === undefined || valid.length < entries.length;
  return {
    total: isInvalid ? new Failure("not-a-counter") : total === null ? 0 : parseTotal(total),
    exists: total !== null,
    // Hits do not use records, so no open day is known.
    openDay: -Infinity,
    // A ledger without a total is left from a counter that was deleted.
    ledger: total === null ? undefined : ledger,
    report: lastReport,
    years: valid,
  };
}

const TOTAL = /^(?:0|[1-9]\d{0,15})$/;

/** Parses a total. Returns the failure `not-a-counter` if it is none. */
export function parseTotal(text: string): Outcome {
  const isTotal = TOTAL.test(text) && Number(text) <= MAX_HITS;
  return isTotal ? Number(text) : new Failure("not-a-counter");
}

/**
 * Returns the text of a ledger: the open day, `totalAtDayStart`, the first year, and the days
 * before.
 */
export function formatLedger(
  { openDay, totalAtDayStart, firstYear, before }: OpenYear,
): string {
  return [openDay, totalAtDayStart, firstYear ?? "-", ...before].join(" ");
}

/**
 * The first year of a provisional ledger is `x`. Such a ledger is left from a counter that was
 * deleted, or was begun for a total whose ledger was missing.
 */
const LEDGER_HEAD = /^(\d+) (-?\d+) (\d+|-|x)(?= |$)/;

/** Parses a ledger. Returns undefined if it is missing, out of bounds or not a ledger. */
export function parseLedger(text: string | null): OpenYear | undefined {
  if (text === null) return undefined;
  const [head = "", openDay, totalAtDayStart, first = ""] = LEDGER_HEAD.exec(text) ?? [];
  const ledger = {
    openDay: Number(openDay),
    totalAtDayStart: Number(totalAtDayStart),
    firstYear: /\d/.test(first) ? Number(first) : undefined,
    before: parseNumbers(text, head.length + 1),
  };
  return isOpenYear(ledger) ? ledger : undefined;
}

/** Returns the text of a report. */
export function formatReport({ seen, at }: Report): string {
  return `${seen} ${at}`;
}

/** Parses a report. Returns undefined if the text is not one. */
function parseReport(text: string): Report | undefined {
  const [seen = NaN, at = NaN] = parseNumbers(text, 0);
  return Number.isSafeInteger(seen) && Number.isSafeInteger(at) ? { seen, at } : undefined;
}

/** Returns the text of a year: its last day with hits, the hits of that day, and those before. */
export function formatYear({ last, hits }: YearEntry): string {
  return [last, ...hits].join(" ");
}

/** Parses the days of a year. Returns undefined if they are out of bounds or not such a text. */
function parseYear(year: number, text: string): YearEntry | undefined {
  const [last = NaN, ...hits] = parseNumbers(text, 0);
  const entry = { year, last, hits };
  return isYearEntry(entry) ? entry : undefined;
}

const ZERO = "0".charCodeAt(0);

/**
 * Parses the whole numbers of a text from an index on, with one space between them. Returns
 * -1 alone, which no entry has, if the text has anything else. Splitting the text or parsing it as
 * JSON takes two to five times as long, and sums and exports have hundreds of numbers per counter.
 */
function parseNumbers(text: string, from: number): number[] {
  const numbers: number[] = [];
  /** The number so far, or -1 before its first digit. */
  let number = -1;
  for (let at = from; at <= text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) number = 10 * Math.max(0, number) + digit;
    else if (number < 0 || at < text.length && text[at] !== " ") return [-1];
    else {
      numbers.push(number);
      number = -1;
    }
  }
  return numbers;
}
