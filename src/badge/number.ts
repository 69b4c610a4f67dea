import { formatterOf, parseLocale } from "./locale.ts";
import { type LookQuery, numbers as parameter } from "./parameters.ts";

/** How a count is written: `12345`, `12,345` or `12.3K`. */
export type Numbers = (typeof parameter.schema.enum)[number];

/** How a count is written, and for whom. */
export interface NumberForm {
  readonly numbers: Numbers;
  /** A BCP 47 tag; "en" unless numbers are grouped or compact. */
  readonly locale: string;
}

/** What a badge tells: a count, or several beside each other. */
export type Counts = number | readonly number[];

/** Writes a count, or several beside each other. */
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

/** The way in which a query asks for counts to be written. */
export function parseNumberForm(query: LookQuery<"numbers" | "locale">): NumberForm {
  const numbers = parseNumbers(query.get("numbers"), parameter.schema.default);
  return { numbers, locale: numbers === "plain" ? "en" : parseLocale(query.get("locale")) };
}

/** Understands the `numbers` parameter; anything else is the fallback. */
export function parseNumbers(text: string | undefined, fallback: Numbers): Numbers {
  return parameter.schema.enum.find((name) => name === text) ?? fallback;
}

const FORMATTERS = {
  grouped: (locale: string) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }),
  compact: (locale: string) =>
    new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }),
};
