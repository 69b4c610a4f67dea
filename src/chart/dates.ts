import { formatCount, formatterOf } from "../badge/number.ts";
import type { Day } from "../counter/days.ts";
import type { Bar, Range } from "./bars.ts";
import type { ChartLook } from "./look.ts";

/** "30 days", in the reader's language. */
export function spanOf({ unit, count }: Range, locale: string): string {
  return formatterOf(
    locale,
    unit,
    () => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }),
  ).format(count);
}

/**
 * Returns the date of a mark, "Nov 3", or "Nov 2026" if bars are months or the chart is a year
 * long.
 */
export function dateOfMark(day: Day, { unit, count }: Range, locale: string): string {
  const long = unit === "month" || count > 12 && unit === "week";
  return dateText(day, locale, long ? MONTH : DATE);
}

/** A date on the axis: "Nov 3", or "Nov" where a bar or the distance between dates is a month. */
export function tickText(day: Day, { unit, count }: Range, locale: string): string {
  const isLong = unit === "month" || count > 12 && unit === "week";
  return isLong ? monthOf(day, locale) : dateText(day, locale, DATE);
}

/** Describes a chart in English for readers who do not see it. */
export function description(bars: readonly Bar[], { range, numbers }: ChartLook): string {
  const form = { numbers, locale: "en" };
  const span = spanOf(range, "en");
  const since = dateText(bars[0]?.first ?? 0, "en", WHOLE_DATE);
  const hits = bars.reduce((sum, bar) => sum + bar.hits, 0);
  if (hits === 0) return `No hits in ${span}, since ${since}.`;
  const most = bars.reduce((tallest, bar) => bar.hits > tallest.hits ? bar : tallest);
  return `${formatCount(hits, form)} hits in ${span}, since ${since}. ` +
    `The most were ${formatCount(most.hits, form)}, ${when(most.first, range)}.`;
}

function when(first: Day, { unit }: Range): string {
  if (unit === "month") return `in ${dateText(first, "en", MONTH)}`;
  const date = dateText(first, "en", WHOLE_DATE);
  return unit === "week" ? `in the week of ${date}` : `on ${date}`;
}

/** The name of a month, as short as the locale has it. */
export function monthOf(day: Day, locale: string): string {
  return dateText(day, locale, { month: "short" });
}

/** The name of a weekday, in one letter if it is narrow. */
export function weekdayOf(day: Day, locale: string, weekday: "short" | "narrow"): string {
  return dateText(day, locale, { weekday });
}

/** "today", in the reader's language. */
export function todayIn(locale: string): string {
  return formatterOf(locale, "today", () => {
    const days = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
    return { format: (count) => days.format(count, "day") };
  }).format(0);
}

type DateForm = Intl.DateTimeFormatOptions;

const DATE: DateForm = { day: "numeric", month: "short" };
const MONTH: DateForm = { month: "short", year: "numeric" };
const WHOLE_DATE: DateForm = { ...DATE, year: "numeric" };

const DAY_MS = 86_400_000;

function dateText(day: Day, locale: string, form: DateForm): string {
  // Bars of months are months of the Gregorian calendar, whatever the reader's own is.
  const options = { ...form, timeZone: "UTC", calendar: "gregory" };
  const name = `date ${Object.entries(form)}`;
  return formatterOf(locale, name, () => new Intl.DateTimeFormat(locale, options))
    .format(day * DAY_MS);
}
