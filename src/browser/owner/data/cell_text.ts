/** The cells of a row. */
export type Row = readonly string[];

/** A whole number, also as 57.00, or with groups of three digits that one mark separates. */
const WHOLE =
  /^(?:\d+(?:[.,]0{1,2})?|[1-9]\d{0,2}([.,'’\u00a0\u202f ])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]0{1,2})?)$/;
/** A number with a fraction, such as a rate. */
const FRACTION = /^[-+]?\d[\d.,'’\u00a0\u202f ]*[.,]\d+$/;
/** Words for the sum of a column, in the languages of widely used services. */
const TOTAL =
  /^(?:(?:grand |sub)?totals?|total general|totale|totaal|toplam|sum|somme|summe|suma|soma|gesamt(?:summe)?|insgesamt|razem|итого|всего|[合总總][计計]|합계)\s*:?$/i;

/** Returns a whole number from 0. Returns undefined if a text is none. */
export function wholeNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!WHOLE.test(trimmed)) return undefined;
  const value = Number(trimmed.replace(/[.,]0{1,2}$/, "").replace(/\D/g, ""));
  return Number.isSafeInteger(value) ? value : undefined;
}

export function hasFraction(text: string): boolean {
  const trimmed = text.trim();
  return FRACTION.test(trimmed) && !WHOLE.test(trimmed);
}

/** Reports whether a text may name the sum of all rows. */
export function isTotal(text: string): boolean {
  return TOTAL.test(text.trim());
}

export function isPath(text: string): boolean {
  return /^(?:\/|https?:\/\/)/i.test(text);
}

// --- Days ----------------------------------------------------------------------------------------

/** An order in which a table writes its dates. */
export interface DateOrder {
  /** The order in words. */
  readonly words: string;
  readonly pattern: RegExp;
  /** Milliseconds in a unit, if the dates are numbers. */
  readonly unit?: number;
}

export const ORDERS = {
  ymd: {
    words: "year-month-day",
    // A time is in UTC unless it names its offset.
    pattern:
      /^(?<year>\d{4})([-/.]?)(?<month>\d\d)\2(?<day>\d\d)(?:[T ](?<clock>(?:[01]\d|2[0-3]):[0-5]\d)(?::\d\d(?:\.\d+)?)?(?:Z| UTC|(?<offset>[+-][01]\d)(?::?(?<more>[0-5]\d))?)?)?$/,
  },
  dmy: {
    words: "day.month.year",
    pattern: /^(?<day>\d\d?)([-/.])(?<month>\d\d?)\2(?<year>\d{4})$/,
  },
  mdy: {
    words: "month/day/year",
    pattern: /^(?<month>\d\d?)([-/.])(?<day>\d\d?)\2(?<year>\d{4})$/,
  },
  // Times of 2001 to 2033. Larger numbers may be dates with an hour, such as 2026112010.
  seconds: { words: "Unix seconds", pattern: /^(1\d{9})(?:\.\d+)?$/, unit: 1000 },
  milliseconds: { words: "Unix milliseconds", pattern: /^(1\d{12})$/, unit: 1 },
} satisfies Record<string, DateOrder>;

/** Returns a function that formats a time as its day in a time zone, such as 2026-11-20. */
export function dayFormat(timeZone: string): (time: number) => string {
  // In this locale, dates are written in this way.
  return new Intl.DateTimeFormat("en-CA", { timeZone }).format;
}

/**
 * Returns the day of a date. A time has the day that `dayAt` returns. Returns undefined for other
 * texts, and for days before 1970.
 */
export function dayOf(
  text: string,
  { pattern, unit }: DateOrder,
  dayAt: (time: number) => string,
): string | undefined {
  const found = pattern.exec(text.trim());
  if (!found) return undefined;
  if (unit) return dayAt(Number(found[1]) * unit);
  const { year, month = "", day = "", clock, offset = "+00", more = "00" } = found.groups ?? {};
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const start = new Date(`${date}T00:00Z`);
  // Some engines read February 30 as a day in March.
  if (!(start.getTime() >= 0) || !start.toISOString().startsWith(date)) return undefined;
  return clock ? dayAt(Date.parse(`${date}T${clock}${offset}:${more}`)) : date;
}

/**
 * Returns the columns of which most cells are dates, once for each order that they may be in.
 * `isSure` is true if each row has a date in this order.
 */
export function dayColumns(heads: Row, sample: readonly Row[]) {
  return [...heads.keys()].flatMap((day) =>
    Object.values(ORDERS).flatMap((order) => {
      const isDate = (row: Row) => dayOf(row[day] ?? "", order, () => "") !== undefined;
      const dates = sample.filter(isDate).length;
      return dates * 2 > sample.length ? [{ day, order, isSure: dates === sample.length }] : [];
    })
  );
}
