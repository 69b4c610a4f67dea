import { cached } from "../bounded_map.ts";
import type { Failure } from "./errors.ts";

/** A calendar day, as days since 1970-01-01. */
export type Day = number;

export const DAY_MS = 86_400_000;

const DAY = /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)$/;
/**
 * Capacity of the caches of dates. Exports and imports convert the same few days again and again,
 * and creating a Date for each is slow.
 */
const DATE_CACHE_SIZE = 20_000;

/** The hits of each day, from `newest` backwards to the first known day. */
export interface Days {
  readonly newest: Day;
  readonly hits: readonly number[];
}

/** A total of another service, as it was reported. */
export interface Report {
  /** The total that the service showed. */
  readonly seen: number;
  /** The time at which it showed the total, in milliseconds since the epoch. */
  readonly at: number;
}

/** A report with the day of its time. */
export interface DatedReport extends Report {
  readonly day: Day;
}

/** The total, the days and the last report of a counter. */
export interface CounterState {
  readonly hits: number;
  /** Undefined if none are known, as for a counter that was last hit by a version without days. */
  readonly days: Days | undefined;
  /** The last report. Null if there is none, which a line then says. */
  readonly report?: Report | null | undefined;
}

/**
 * The days of the year that is not over. Stores keep it in an entry of its own, the ledger.
 *
 * The hits of the open day are not stored. They are the difference between the total and
 * `totalAtDayStart`, so that a hit writes nothing but the total.
 */
export interface OpenYear {
  /** The day to which new hits belong. It goes back only if a clock was ahead. */
  readonly openDay: Day;
  /**
   * The total when that day was opened. Negative if the counter was set to less than the hits of
   * that day.
   */
  readonly totalAtDayStart: number;
  /** The first closed year. Undefined if history began in the year of the open day. */
  readonly firstYear: number | undefined;
  /** The hits of the earlier days of the year, from the day before the open one backwards. */
  readonly before: readonly number[];
}

/** The days of a closed year. */
export interface YearEntry {
  readonly year: number;
  /** The last day of the year that had hits. */
  readonly last: Day;
  /** The hits from that day backwards, within the year. */
  readonly hits: readonly number[];
}

/** The days of a counter as stores keep them. */
export interface History {
  readonly ledger: OpenYear;
  readonly years: readonly YearEntry[];
}

/** A counter in a store, as far as it was read. */
export interface CounterRecord {
  /** The total, or 0 if none is stored. `not-a-counter` if an entry that was read is invalid. */
  readonly total: number | Failure;
  /** True if a total is stored. */
  readonly exists: boolean;
  /**
   * The latest day that is known to be open, -Infinity if none is. Hits on an open day need no
   * ledger.
   */
  readonly openDay: Day;
  /** Undefined if none is stored, or if it was not read. */
  readonly ledger?: OpenYear | undefined;
  /** The closed years. Writes need them. Hits need them only if the open day is ahead. */
  readonly years?: readonly YearEntry[];
  /** The last report. Hits need none. */
  readonly report?: Report | undefined;
  /** True if an addition with the name of the one to plan was made before. */
  readonly isRepeat?: boolean;
  /** The counter that gets the total and days of this one, if it is moved. */
  readonly target?: CounterRecord | undefined;
}

/** Returns the year of a day. */
export function yearOf(day: Day): number {
  return new Date(day * DAY_MS).getUTCFullYear();
}

/** Returns January 1 of a year. */
export function firstDayOf(year: number): Day {
  return Date.UTC(year) / DAY_MS;
}

/** Formats a day, for example as "2026-11-20". */
export const formatDay = cached(DATE_CACHE_SIZE, (day: Day) => {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
});

/** Parses a day such as "2026-11-20". Returns undefined if it is invalid or before 1970. */
export const parseDay = cached(DATE_CACHE_SIZE, (text: string): Day | undefined => {
  const [, year, month, date] = DAY.exec(text) ?? [];
  // Date.UTC converts the years 0 to 99 to 1900 to 1999.
  if (year === undefined || Number(year) < 1970) return undefined;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(date));
  // Date.UTC converts February 30 to March 2.
  return new Date(time).getUTCDate() === Number(date) ? time / DAY_MS : undefined;
});

/** The last day that stores accept, 2099-12-31. */
export const LAST_DAY: Day = 47_481;

/** Reports whether a stored value is a valid open year. */
export function isOpenYear({ openDay, totalAtDayStart, firstYear, before }: OpenYear): boolean {
  if (!isDay(openDay) || !Number.isSafeInteger(totalAtDayStart)) return false;
  const year = yearOf(openDay);
  const hasBegun = firstYear === undefined || (firstYear >= 1970 && firstYear < year);
  return hasBegun && areHits(before, openDay - firstDayOf(year));
}

/** Reports whether a stored value is a valid closed year. */
export function isYearEntry({ year, last, hits }: YearEntry): boolean {
  return isDay(last) && yearOf(last) === year && areHits(hits, last - firstDayOf(year) + 1);
}

/**
 * Opens a day. Returns the open year then, and the closed year to store if another one ended. The
 * open year is unchanged if the day is open already.
 */
export function rollOverDay(
  { ledger, total }: { ledger: OpenYear | undefined; total: number },
  today: Day,
): { ledger: OpenYear; over?: YearEntry } {
  if (ledger === undefined) {
    return { ledger: { openDay: today, totalAtDayStart: total, firstYear: undefined, before: [] } };
  }
  if (today <= ledger.openDay) return { ledger };
  const closed = [hitsOfOpenDay(ledger, total), ...ledger.before];
  const year = yearOf(ledger.openDay);
  if (year === yearOf(today)) {
    const before = [...zeros(today - ledger.openDay - 1), ...closed];
    return { ledger: { ...ledger, openDay: today, totalAtDayStart: total, before } };
  }
  const firstYear = ledger.firstYear ?? year;
  return {
    ledger: { openDay: today, totalAtDayStart: total, firstYear, before: [] },
    over: { year, last: ledger.openDay, hits: closed },
  };
}

/** Returns the closed years with days from `since` on. */
export function yearsSince({ firstYear, openDay }: OpenYear, since: Day): number[] {
  if (firstYear === undefined) return [];
  const last = yearOf(openDay) - 1;
  const first = Math.max(firstYear, since === -Infinity ? firstYear : yearOf(since));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** Converts a history to days. `years` may lack years that the caller does not need. */
export function daysOf({ ledger, years }: History, total: number): Days {
  const { openDay: newest, before } = ledger;
  const hits = [hitsOfOpenDay(ledger, total), ...before];
  for (const { last, hits: ofYear } of years.toSorted((a, b) => b.year - a.year)) {
    for (let gap = newest - hits.length - last; gap > 0; gap--) hits.push(0);
    for (const number of ofYear) hits.push(number);
  }
  return { newest, hits };
}

/** Converts days to a history, given the total. The inverse of {@linkcode daysOf}. */
export function historyOf({ newest, hits }: Days, total: number): History {
  const [open = 0, ...older] = hits;
  const january = firstDayOf(yearOf(newest));
  const years = yearEntries(january - 1, older.slice(newest - january));
  const firstYear = years.at(-1)?.year;
  return {
    ledger: {
      openDay: newest,
      totalAtDayStart: total - open,
      firstYear,
      before: older.slice(0, newest - january),
    },
    years,
  };
}

/** Adds days without hits up to `today`. */
export function padToDay(days: Days, today: Day): Days {
  if (days.newest >= today) return days;
  return { newest: today, hits: [...zeros(today - days.newest), ...days.hits] };
}

/** Removes the days before `first`. */
export function dropBefore(days: Days, first: Day): Days {
  const { newest, hits } = days;
  const length = Math.max(0, newest - first + 1);
  return hits.length <= length ? days : { newest, hits: hits.slice(0, length) };
}

/** Replaces the days from `first` on. */
export function replaceSince({ newest, hits }: Days, first: Day, later: Days): Days {
  const earlier = hits.map((number, back) => newest - back < first ? number : 0);
  return mergeDays({ newest, hits: earlier }, later, (one, other) => one + other);
}

/** Merges the numbers of each day. */
export function mergeDays(
  one: Days,
  other: Days,
  merge: (one: number, other: number) => number,
): Days {
  const newest = Math.max(one.newest, other.newest);
  const [a, b] = [padToDay(one, newest).hits, padToDay(other, newest).hits];
  const length = Math.max(a.length, b.length);
  return {
    newest,
    hits: Array.from({ length }, (_, index) => merge(a[index] ?? 0, b[index] ?? 0)),
  };
}

function isDay(day: number): boolean {
  return Number.isInteger(day) && day >= 0 && day <= LAST_DAY;
}

/** Reports whether numbers are valid as the hits of days. */
function areHits(numbers: readonly number[], maxDays: number): boolean {
  if (numbers.length > maxDays) return false;
  for (const hits of numbers) if (!Number.isSafeInteger(hits) || hits < 0) return false;
  return true;
}

/** Returns 0 if another program lowered the total since the day was opened. */
function hitsOfOpenDay({ totalAtDayStart }: OpenYear, total: number): number {
  return Math.max(0, total - totalAtDayStart);
}

/**
 * Splits days into closed years. `hits` go backwards from `newest`, the last day of a year. Years
 * without hits have no entry.
 */
function yearEntries(newest: Day, hits: readonly number[]): YearEntry[] {
  const entries: YearEntry[] = [];
  for (let start = 0; start < hits.length;) {
    const end = newest - start;
    const year = yearOf(end);
    const length = end - firstDayOf(year) + 1;
    const ofYear = hits.slice(start, start + length);
    const first = ofYear.findIndex((number) => number > 0);
    if (first !== -1) entries.push({ year, last: end - first, hits: ofYear.slice(first) });
    start += length;
  }
  return entries;
}

function zeros(length: number): number[] {
  return new Array(Math.max(0, length)).fill(0);
}
