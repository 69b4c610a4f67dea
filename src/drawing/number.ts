import { trendWords } from "../domain/trend.ts";
import { cached } from "../bounded_map.ts";
import { type ImageFormat, isDrawable } from "./text.ts";
import { type Choices, SHARED_PARAMETERS, valueOf, wholeWithin } from "./parameters.ts";

type Numbers = (typeof SHARED_PARAMETERS.numbers.schema.enum)[number];

/** Format of a count, `12345`, `12,345` or `12.3K`, and its language. */
export interface NumberForm {
  readonly numbers: Numbers;
  /** A BCP 47 tag; "en" unless numbers are grouped or compact. */
  readonly locale: string;
}

/** A count, or several in a row. */
export type Counts = number | readonly number[];

/** Parses a goal. Returns undefined for anything but a whole number from 1 to 2^53-1. */
export function parseGoal(text: string | undefined): number | undefined {
  const goal = wholeWithin(text, SHARED_PARAMETERS.goal.schema);
  return goal === Number(text) ? goal : undefined;
}

/** Returns a count and its goal. Several counts have no goal. */
export function withGoal(counts: Counts, goal: number | undefined): Counts {
  return goal === undefined || typeof counts !== "number" ? counts : [counts, goal];
}

/** Returns the share of a goal that was reached, from 0 to 1. Returns 0 if there is no goal. */
export function shareOf(counts: Counts, goal: number | undefined): number {
  return goal === undefined || typeof counts !== "number" ? 0 : Math.min(1, counts / goal);
}

export function formatCounts(counts: Counts, form: NumberForm): string {
  if (typeof counts === "number") return formatCount(counts, form);
  return counts.map((count) => formatCount(count, form)).join(" / ");
}

/** Writes a count (0 to 2^53-1). */
export function formatCount(count: number, { numbers, locale }: NumberForm): string {
  return numbers === "plain"
    ? String(count)
    : formatterOf(locale, numbers, FORMATTERS[numbers]).format(count);
}

/** Parses the form of a number. Invalid values fall back to the default. */
export function parseNumberForm(
  query: Choices<"numbers" | "locale">,
  format?: ImageFormat,
): NumberForm {
  const numbers = valueOf(SHARED_PARAMETERS.numbers, query.get("numbers"));
  return { numbers, locale: numbers === "plain" ? "en" : parseLocale(query.get("locale"), format) };
}

const FORMATTERS = {
  grouped: (locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }),
  // Rounded down: 999,999 is not yet 1M.
  compact: (locale: string) =>
    new Intl.NumberFormat(locale, {
      notation: "compact",
      // Follow grouped numbers, or a German chart has "1200" and "1.071".
      useGrouping: new Intl.NumberFormat(locale).format(1000).length > 4 ? "always" : "min2",
      maximumFractionDigits: 1,
      roundingMode: "trunc",
    }),
};

/** Writes numbers, or days as numbers, for readers of one locale. */
export interface Formatter {
  format(value: number): string;
}

const MAX_TAG_LENGTH = 64;
/** Extensions of a tag would multiply the number of locales. */
const EXTENSION = /-[0-9a-z]-.*$/i;

/**
 * Returns the locale whose data the runtime uses for a BCP 47 tag, without extensions. Returns "en"
 * if it has none, or in a PNG if its fonts lack the letters of the locale. There are about 430 such
 * locales, and any number of tags.
 */
export function parseLocale(tag: string | undefined, format: ImageFormat = "svg"): string {
  const locale = tag && tag.length <= MAX_TAG_LENGTH ? resolveLocale(tag) : "en";
  return format === "png" && !isDrawable(monthIn(locale)) ? "en" : locale;
}

/** Returns the same locale for pictures with dates, or "en" if it has no names of months. */
export function parseDateLocale(tag: string | undefined, format: ImageFormat): string {
  const locale = parseLocale(tag, format);
  return /^M\d/.test(monthIn(locale)) ? "en" : locale;
}

function monthIn(locale: string): string {
  return formatterOf(locale, "name of month", MONTH_NAME).format(0);
}

const MONTH_NAME = (locale: string) => new Intl.DateTimeFormat(locale, { month: "long" });

/** Returns the locale of a tag. Those of the tags that were sent last are kept: one takes 15 µs. */
const resolveLocale = cached(1000, (tag: string) => {
  try {
    // Without data, the formatter would have the locale of the process.
    const [locale] = Intl.NumberFormat.supportedLocalesOf(tag.replace(EXTENSION, ""));
    return locale === undefined ? "en" : new Intl.NumberFormat(locale).resolvedOptions().locale;
  } catch {
    return "en";
  }
});

/**
 * The formatters of each locale, by name. They are kept, because their memory is outside of V8's
 * heap and only a full garbage collection frees it. Those of all locales take 100 MB, most of it
 * for dates.
 */
const formatters = new Map<string, Formatter>();

/** Returns the formatter of this name for a locale. Creates it at its first use. */
export function formatterOf(
  locale: string,
  name: string,
  make: (locale: string) => Formatter,
): Formatter {
  const key = `${locale} ${name}`;
  let found = formatters.get(key);
  if (found === undefined) formatters.set(key, found = make(locale));
  return found;
}

/**
 * Returns a trend as drawn, "▲ 12%", in a language, and as a screen reader says it in English,
 * ", up 12% in 7 days".
 */
export function weekTrend(percent: number, locale = "en") {
  const { format } = formatterOf(locale, "percent", PERCENT);
  const words = trendWords(percent, format);
  return { ...words, spoken: `, ${words.spoken} in 7 days` };
}

const PERCENT = (locale: string) => new Intl.NumberFormat(locale, { style: "percent" });
