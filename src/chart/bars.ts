// Also part of the page's script, so this module imports only types.
import type { Day, Days } from "../domain/history.ts";

/** The number of bars of a chart, and the length of each. */
export interface Range {
  readonly count: number;
  readonly unit: "day" | "week" | "month" | "quarter";
}

/** One bar: its first day, and the hits from then until the next bar begins. */
export interface Bar {
  readonly first: Day;
  readonly hits: number;
}

/** The ranges of charts by the names that users choose. */
export const RANGES = {
  "30d": { count: 30, unit: "day" },
  "90d": { count: 90, unit: "day" },
  "12w": { count: 12, unit: "week" },
  "52w": { count: 52, unit: "week" },
  "12m": { count: 12, unit: "month" },
} as const satisfies Record<string, Range>;

export const DAY_MS = 86_400_000;

/** Returns the first day of the bar that is `back` bars before the bar of `newest`. */
export function firstDay({ unit }: Range, newest: Day, back: number): Day {
  if (unit === "day") return newest - back;
  if (unit === "week") return newest - weekdayIndex(newest) - 7 * back;
  const date = new Date(newest * DAY_MS);
  const month = date.getUTCMonth();
  const first = unit === "month" ? month - back : month - month % 3 - 3 * back;
  return Date.UTC(date.getUTCFullYear(), first) / DAY_MS;
}

/** The units of a range from the first known day on, and the bounds of its number of bars. */
const UNITS = ["day", "week", "month", "quarter"] as const;
const MIN_BARS = 7;
const MAX_BARS = 120;

/**
 * Returns the range from a day to the newest one, in the smallest unit that needs at most 120 bars.
 * It has at least seven days, and at most the last thirty years.
 */
export function rangeSince(first: Day, newest: Day): Range {
  for (const unit of UNITS) {
    for (let count = MIN_BARS; count <= MAX_BARS; count++) {
      const range = { count, unit };
      if (firstDay(range, newest, count - 1) <= first) return range;
    }
  }
  return { count: MAX_BARS, unit: "quarter" };
}

/** Returns the weekday from 0 for Monday, the first day of a week in ISO 8601. */
export function weekdayIndex(day: Day): number {
  // 1970-01-01 was a Thursday.
  return (((day + 3) % 7) + 7) % 7;
}

/** Returns the bars of a range, oldest first. The last one is not over yet. */
export function barsOf({ newest, hits }: Days, range: Range): Bar[] {
  const bars: Bar[] = [];
  let end = 0;
  for (let back = 0; back < range.count; back++) {
    const first = firstDay(range, newest, back);
    const start = newest - first + 1;
    const sum = hits.slice(end, start).reduce((total, day) => total + day, 0);
    bars.push({ first, hits: sum });
    end = start;
  }
  return bars.reverse();
}

/**
 * Reports whether a date belongs below this bar: Mondays, the 1st and 15th, months, quarters, or
 * years, depending on the length of the range.
 */
export function isTick({ first }: Bar, { unit, count }: Range): boolean {
  const date = new Date(first * DAY_MS);
  const [month, day] = [date.getUTCMonth(), date.getUTCDate()];
  if (unit === "day") return count <= 31 ? weekdayIndex(first) === 0 : day === 1 || day === 15;
  if (count <= 12) return true;
  // A week has a date if a month begins in it.
  if (unit === "week") return day <= 7 && (count <= 52 || month % 3 === 0);
  return unit === "month" && count <= 36 ? month % 3 === 0 : month === 0;
}

/** A bar is a peak from this multiple of the median on. */
const PEAK = 1.6;
/** Minimum number of days since the first hit, among which a median says something. */
const MIN_DAYS = 7;

/**
 * Returns the index of the largest bar, the first of equal ones. Returns -1 if it is below 1.6
 * times the median of the bars with hits, or if fewer than seven days are known.
 */
export function peakIndex(bars: readonly Bar[], { hits }: Days): number {
  const values = bars.map((bar) => bar.hits);
  const sorted = values.filter((value) => value > 0).sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const most = sorted.at(-1) ?? 0;
  const knownDays = hits.findLastIndex((day) => day > 0) + 1;
  return knownDays < MIN_DAYS || most === 0 || most < PEAK * median ? -1 : values.indexOf(most);
}

/** Returns the round number at the top line of a chart, at least 4 and at least the tallest bar. */
export function ceilingOf(most: number): number {
  for (let power = 1;; power *= 10) {
    const found = STEPS.find((step) => step * power >= Math.max(4, most));
    if (found !== undefined) return found * power;
  }
}

const STEPS = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8];
