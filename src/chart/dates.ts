import { formatCount, type Formatter, formatterOf } from "../drawing/number.ts";
import type { Day } from "../domain/history.ts";
import { type Bar, DAY_MS, type Range } from "./bars.ts";
import type { ShownLook } from "./look.ts";

/** Returns "30 days" or "10 years, by quarter" in the reader's language. */
export function spanOf({ unit, count }: Range, locale: string): string {
  if (unit !== "quarter") return unitsOf(unit, locale).format(count);
  const years = unitsOf("year", locale).format(Math.round(count / 4));
  const steps = stepsOf({ unit, count }, locale);
  return ENGLISH.test(locale) ? `${years}, ${steps}` : `${years} (${steps})`;
}

/** Returns "by quarter" for a range whose length does not name its steps. */
export function stepsOf({ unit }: Range, locale: string): string {
  if (unit !== "quarter") return "";
  return ENGLISH.test(locale) ? "by quarter" : nameOf(unit, locale);
}

function unitsOf(unit: "day" | "week" | "month" | "year", locale: string): Formatter {
  return formatterOf(
    locale,
    unit,
    () => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }),
  );
}

/**
 * Returns "each week, to Nov 15" in the reader's language, for lines that end with the last full
 * step.
 */
export function fullSteps(bars: readonly Bar[], { unit }: Range, locale: string): string {
  const lastDay = (bars.at(-1)?.first ?? 0) - 1;
  const isLong = unit === "month" || unit === "quarter";
  const date = dateText(lastDay, locale, isLong ? MONTH : DATE);
  return ENGLISH.test(locale) ? `each ${unit}, to ${date}` : `– ${date} (${nameOf(unit, locale)})`;
}

/** Returns the name of a step in the reader's language. */
function nameOf(unit: Range["unit"], locale: string): string {
  return formatterOf(locale, `name of ${unit}`, () => {
    const names = new Intl.DisplayNames(locale, { type: "dateTimeField" });
    const name = names.of(unit === "week" ? "weekOfYear" : unit) ?? unit;
    return { format: () => name };
  }).format(0);
}

export const ENGLISH = /^en\b/;

/**
 * Returns the date of a mark, "Nov 3", or "Nov 2026" if bars are months or the chart is a year
 * long, or "2026" if bars are quarters.
 */
export function dateOfMark(day: Day, range: Range, locale: string): string {
  if (range.unit === "quarter") return dateText(day, locale, YEAR);
  return dateText(day, locale, isLong(range) ? MONTH : DATE);
}

/**
 * Returns a date on the axis: "Nov 3", "Nov" where the distance between dates is a month, and
 * "Nov 2026" or "2026" where it is longer.
 */
export function tickText(day: Day, range: Range, locale: string): string {
  const { unit, count } = range;
  if (unit === "quarter" || unit === "month" && count > 36) return dateText(day, locale, YEAR);
  if (unit === "week" ? count > 52 : unit === "month" && count > 12) {
    return dateText(day, locale, MONTH);
  }
  return dateText(day, locale, isLong(range) ? MONTH_NAME : DATE);
}

function isLong({ unit, count }: Range): boolean {
  return unit === "month" || count > 12 && unit === "week";
}

/** Describes a chart in English for readers who do not see it. */
export function description(bars: readonly Bar[], { range, numbers }: ShownLook): string {
  const form = { numbers, locale: "en" };
  const span = spanOf(range, "en");
  const since = dateText(bars[0]?.first ?? 0, "en", WHOLE_DATE);
  const hits = bars.reduce((sum, bar) => sum + bar.hits, 0);
  if (hits === 0) return `No hits in ${span}, since ${since}.`;
  const most = bars.reduce((tallest, bar) => bar.hits > tallest.hits ? bar : tallest);
  return `${formatCount(hits, form)} hits in ${span}, since ${since}. ` +
    `The most were ${formatCount(most.hits, form)}, ${when(most.first, range)}.`;
}

/** Describes a chart of several counters in English, without their names and numbers. */
export function descriptionOfSeveral(bars: readonly Bar[], { range, kind }: ShownLook): string {
  const since = `${spanOf(range, "en")}, since ${dateText(bars[0]?.first ?? 0, "en", WHOLE_DATE)}.`;
  return kind === "total"
    ? `The totals, and their growth in ${since}`
    : `The hits of the last full ${range.unit}, and of ${since}`;
}

function when(first: Day, { unit }: Range): string {
  if (unit === "month") return `in ${dateText(first, "en", MONTH)}`;
  if (unit === "quarter") return `in the quarter from ${dateText(first, "en", MONTH)}`;
  const date = dateText(first, "en", WHOLE_DATE);
  return unit === "week" ? `in the week of ${date}` : `on ${date}`;
}

/** Returns "today" in the reader's language. */
export function todayIn(locale: string): string {
  return formatterOf(locale, "today", () => {
    const days = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
    return { format: (count) => days.format(count, "day") };
  }).format(0);
}

type DateForm = Intl.DateTimeFormatOptions;

export const DATE: DateForm = { day: "numeric", month: "short" };
/** As short as the locale has it. */
export const MONTH_NAME: DateForm = { month: "short" };
const MONTH: DateForm = { month: "short", year: "numeric" };
const YEAR: DateForm = { year: "numeric" };
const WHOLE_DATE: DateForm = { ...DATE, year: "numeric" };

/** Writes a date, or a part of it. */
export function dateText(day: Day, locale: string, form: DateForm): string {
  return formatterOf(locale, `date ${Object.entries(form)}`, () => {
    // Bars of months are months of the Gregorian calendar, whatever the reader's own is.
    return new Intl.DateTimeFormat(locale, { ...form, timeZone: "UTC", calendar: "gregory" });
  }).format(day * DAY_MS);
}
