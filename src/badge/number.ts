import { BADGE_PARAMETERS, type LookQuery, valueOf } from "./parameters.ts";

type Numbers = (typeof BADGE_PARAMETERS.numbers.schema.enum)[number];

/** Format of a count, `12345`, `12,345` or `12.3K`, and its language. */
export interface NumberForm {
  readonly numbers: Numbers;
  /** A BCP 47 tag; "en" unless numbers are grouped or compact. */
  readonly locale: string;
}

/** A count, or several in a row. */
export type Counts = number | readonly number[];

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
export function parseNumberForm(query: LookQuery<"numbers" | "locale">): NumberForm {
  const numbers = valueOf(BADGE_PARAMETERS.numbers, query.get("numbers"));
  return { numbers, locale: numbers === "plain" ? "en" : parseLocale(query.get("locale")) };
}

const FORMATTERS = {
  grouped: (locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }),
  // Rounded down: 999,999 is not yet 1M.
  compact: (locale: string) =>
    new Intl.NumberFormat(locale, {
      notation: "compact",
      maximumFractionDigits: 1,
      roundingMode: "trunc",
    }),
};

/** Writes numbers, or days as numbers, for readers of one locale. */
export interface Formatter {
  format(value: number): string;
}

/** Maximum number of cached locales. After a quarter of an hour the cache is emptied for others. */
const MAX_LOCALES = 100;
const TERM_MS = 15 * 60_000;
const MAX_TAG_LENGTH = 64;
/** Extensions of a tag would multiply the number of locales. */
const EXTENSION = /-[0-9a-z]-.*$/i;

/**
 * The formatters of each locale, by name. Their memory is outside of V8's heap. Only a full garbage
 * collection frees it, and formatters do not cause one, so memory grows with each formatter made.
 * Clients choose locales, so their number has a limit.
 */
const locales = new Map<string, Map<string, Formatter>>();
let since = Date.now();

/**
 * Returns the canonical form of a BCP 47 tag without extensions. Returns "en" if the runtime has no
 * data for it.
 */
export function parseLocale(text: string | undefined, now = Date.now()): string {
  if (text === undefined || text === "" || text.length > MAX_TAG_LENGTH) return "en";
  try {
    const [locale = "en"] = Intl.NumberFormat.supportedLocalesOf(text.replace(EXTENSION, ""));
    if (locales.size >= MAX_LOCALES && !locales.has(locale)) {
      if (now - since < TERM_MS) return "en";
      locales.clear();
      since = now;
    }
    if (!locales.has(locale)) locales.set(locale, new Map());
    return locale;
  } catch {
    return "en";
  }
}

/** Returns the formatter of this name for a locale. Creates it at its first use. */
export function formatterOf(
  locale: string,
  name: string,
  make: (locale: string) => Formatter,
): Formatter {
  let own = locales.get(locale);
  if (own === undefined) locales.set(locale, own = new Map());
  let found = own.get(name);
  if (found === undefined) own.set(name, found = make(locale));
  return found;
}
