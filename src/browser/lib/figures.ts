import { type Bar, barsOf, DAY_MS, isTick, type Range } from "../../chart/bars.ts";
import type { Days } from "../../domain/history.ts";
import { LANGUAGE } from "./words.ts";

/** A counter, or the sum of several. `days` are the hits of the last days, beginning with today. */
export interface Figures {
  id: string;
  today: number;
  yesterday: number;
  week: number;
  month: number;
  total: number;
  days: readonly number[];
}

/** Hits by day, such as "2026-11-20". */
export type DayHits = Record<string, number>;

/** A bar of a chart: its day or month, as short as on the axis and in full. */
export interface ChartBar extends Bar {
  back: number;
  tick: boolean;
  name: string;
  long: string;
}

/** Number of days that are kept of each counter: those of the longest chart of days. */
export const DAYS = 90;
/** Number of days that the longest range of a chart needs. */
export const YEAR = 400;

/** Maximum number of days that each have their date below. */
const MAX_NAMED_DAYS = 14;

/** Parsed days. Cached, because every line has the same few. */
const dayNumbers: Map<string, number> = new Map();

/** Returns a day as days since 1970. */
export function dayNumber(text: string) {
  const number = dayNumbers.get(text) ?? Date.parse(`${text}T00:00Z`) / DAY_MS;
  dayNumbers.set(text, number);
  return number;
}

/** Returns a function that formats days. */
function dateText(how: Intl.DateTimeFormatOptions) {
  const { format } = new Intl.DateTimeFormat(LANGUAGE, { timeZone: "UTC", ...how });
  return (day: number) => format(day * DAY_MS);
}

const shortDay = dateText({ month: "short", day: "numeric" });
const weekday = dateText({ weekday: "short", month: "short", day: "numeric" });
export const fullDay = dateText({ year: "numeric", month: "short", day: "numeric" });
const monthName = dateText({ month: "short" });
const longMonth = dateText({ month: "long", year: "numeric" });

/** Returns the figures of a line of `/counters`. */
export function figuresOf(
  { id, hits, days = {} }: { id: string; hits: number; days?: DayHits | undefined },
  today: number,
  kept = DAYS,
) {
  const last = Array(kept).fill(0);
  for (const [day, hits] of Object.entries(days)) {
    const back = today - dayNumber(day);
    if (back >= 0 && back < kept) last[back] = hits;
  }
  return sumsOf(id, hits, last);
}

function sumsOf(id: string, total: number, days: readonly number[]): Figures {
  const last = (count: number) => days.slice(0, count).reduce((sum, hits) => sum + hits, 0);
  return {
    id,
    total,
    days,
    today: days[0] ?? 0,
    yesterday: days[1] ?? 0,
    week: last(7),
    month: last(30),
  };
}

export function sumOf(id: string, rows: readonly Figures[]) {
  const days = Array(DAYS).fill(0);
  let total = 0;
  for (const row of rows) {
    total += row.total;
    for (let back = 0; back < DAYS; back++) days[back] += row.days[back];
  }
  return sumsOf(id, total, days);
}

/**
 * Returns the prefix by which counters are grouped: scheme and host of a URL, otherwise the part up
 * to the first slash, or an empty text. `/count?prefix=` sums the same counters.
 */
export function prefixOf(id: string) {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(id)
    ? /^[^/]*\/\/[^/]+\//.exec(id)?.[0] ?? ""
    : id.slice(0, id.indexOf("/") + 1);
}

/** Returns the days from the first one with views on. Rows have more, which are 0. */
export function knownDays(days: readonly number[]) {
  return days.slice(0, days.findLastIndex((hits) => hits > 0) + 1);
}

/**
 * Returns the strokes of 30 days in 120 × 24, and that of today. A day above three times the usual
 * day is cut, with a gap and a cap, so that one outlier does not flatten all others.
 */
export function sparkline(days: readonly number[]) {
  const last = days.slice(0, 30);
  const viewed = last.filter((hits) => hits > 0).sort((one, other) => one - other);
  const largest = viewed.at(-1) ?? 1;
  const usual = viewed[viewed.length >> 1] ?? 1;
  const most = viewed.length < 7 ? largest : Math.min(largest, 3 * usual);
  const stroke = (hits: number, back: number) => {
    if (hits === 0) return "";
    const height = hits > most ? 17 : Math.max(1.5, 22.5 * hits / most);
    return `M${4 * (29 - back) + 2} 23.5v${-round(height)}${hits > most ? "m0-2.5v-3" : ""}`;
  };
  const [today = 0, ...before] = last;
  return {
    before: before.map((hits, index) => stroke(hits, index + 1)).join(""),
    today: stroke(today, 0),
  };
}

function round(value: number) {
  return Math.round(value * 10) / 10;
}

/**
 * Returns a range of days without those before the first known day, but of at least seven days.
 * Without any known day, the history may have ended before the loaded days, so all of them stay.
 */
export function knownRange(range: Range, { hits }: Days): Range {
  if (range.unit !== "day") return range;
  const known = knownDays(hits).length;
  if (known === 0) return range;
  return { unit: "day", count: Math.min(range.count, Math.max(7, known)) };
}

/** Returns the bars of a range with their names, oldest first. */
export function namedBars(days: Days, range: Range): ChartBar[] {
  const [short, long] = range.unit === "month" ? [monthName, longMonth] : [shortDay, weekday];
  return barsOf(days, range).map((bar, index) => ({
    ...bar,
    back: range.count - 1 - index,
    tick: isTick(bar, range) || range.unit === "day" && range.count <= MAX_NAMED_DAYS,
    name: short(bar.first),
    long: long(bar.first),
  }));
}
