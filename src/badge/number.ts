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
  return numbers === "plain" ? String(count) : formatter(numbers, locale).format(count);
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

/** The canonical form of a BCP 47 tag that this machine has data for, else "en". */
export function parseLocale(text: string | undefined): string {
  if (text === undefined || text === "" || text.length > LONGEST_TAG) return "en";
  try {
    return Intl.NumberFormat.supportedLocalesOf(text)[0] ?? "en";
  } catch {
    return "en";
  }
}

function formatter(numbers: "grouped" | "compact", locale: string): Intl.NumberFormat {
  const name = `${numbers} ${locale}`;
  let found = formatters.get(name);
  if (found === undefined) {
    found = new Intl.NumberFormat(locale, OPTIONS[numbers]);
    if (formatters.size >= MOST_FORMATTERS) formatters.clear();
    formatters.set(name, found);
  }
  return found;
}

const OPTIONS = {
  grouped: { maximumFractionDigits: 0 },
  compact: { notation: "compact", maximumFractionDigits: 1 },
} satisfies Record<string, Intl.NumberFormatOptions>;

// Making a formatter costs a thousand times what using it does. Readers choose the locale, so the
// number kept is bounded; the few that a site uses are soon back after a clearing.
const MOST_FORMATTERS = 100;
const formatters = new Map<string, Intl.NumberFormat>();

const LONGEST_TAG = 64;
