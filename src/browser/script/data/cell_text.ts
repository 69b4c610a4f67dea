/** A whole number, also with groups of three digits that one mark separates. */
const WHOLE = /^(?:\d+|\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*)$/;
/** A number with a fraction, such as a rate. */
const FRACTION = /^[-+]?\d[\d.,'’\u00a0\u202f ]*[.,]\d+$/;
const DATE = /^(\d{4})-?(\d\d)-?(\d\d)$/;
const TIME =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::\d\d(?:[.,]\d+)?)? ?(?:Z|UTC|([+-])(\d\d):?(\d\d)?)?$/;
const MINUTE_MS = 60_000;
/** Time zones begin and end their days at multiples of this time, in milliseconds. */
const QUARTER_MS = 15 * MINUTE_MS;
/** Words for the sum of a column, in the languages of widely used services. */
const TOTAL =
  /^(?:(?:grand |sub)?totals?|total general|totale|totaal|toplam|sum|somme|summe|suma|soma|gesamt(?:summe)?|insgesamt|razem|итого|всего|[合总總][计計]|합계)\s*:?$/i;

/** Returns a whole number from 0. Returns undefined if a text is none. */
export function wholeNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!WHOLE.test(trimmed)) return undefined;
  const value = Number(trimmed.replace(/\D/g, ""));
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

/**
 * Returns a function that finds the day of a date, or that of a time in UTC, in a time zone. It
 * returns undefined for other texts.
 */
export function createDays(timeZone: string): (text: string) => string | undefined {
  // In this locale, a date is written as 2026-11-20.
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const starts = new Map<string, number>();
  const quarters = new Map<number, string>();

  /** Returns the start of a day in UTC. Returns NaN if there is no such day, or before 1970. */
  const startOf = (date: string) => {
    let start = starts.get(date);
    if (start === undefined) {
      const found = new Date(`${date}T00:00Z`);
      const isDay = found.getTime() >= 0 && found.toISOString().startsWith(date);
      starts.set(date, start = isDay ? found.getTime() : NaN);
    }
    return start;
  };

  return (text) => {
    const trimmed = text.trim();
    const [date, year, month, day] = DATE.exec(trimmed) ?? [];
    if (date) {
      const written = `${year}-${month}-${day}`;
      return Number.isNaN(startOf(written)) ? undefined : written;
    }
    const [, on = "", hour, minute, sign, offHours, offMinutes = 0] = TIME.exec(trimmed) ?? [];
    const ahead = sign ? Number(`${sign}1`) * (Number(offHours) * 60 + Number(offMinutes)) : 0;
    const time = startOf(on) + (Number(hour) * 60 + Number(minute) - ahead) * MINUTE_MS;
    const quarter = Math.floor(time / QUARTER_MS);
    if (!(quarter >= 0)) return undefined;
    let found = quarters.get(quarter);
    if (!found) quarters.set(quarter, found = format.format(quarter * QUARTER_MS));
    return found;
  };
}

/** Writes a cell of CSV. Quotes it if a reader would otherwise take it for something else. */
export function csvCell(text: string): string {
  // A spreadsheet would run such a text as a formula. `plainText` takes the mark off.
  const safe = /^'*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",;\t\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns a text without the mark that `csvCell` adds. */
export function plainText(text: string): string {
  return /^'+[=+\-@]/.test(text) ? text.slice(1) : text;
}
