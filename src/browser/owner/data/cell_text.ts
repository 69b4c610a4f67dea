/** A whole number, also with groups of three digits that one mark separates. */
const WHOLE = /^(?:\d+|\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*)$/;
/** A number with a fraction, such as a rate. */
const FRACTION = /^[-+]?\d[\d.,'’\u00a0\u202f ]*[.,]\d+$/;
/** A date, or a time of a day, which is in UTC unless it names its offset. */
const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d(?:[.,]\d+)?)? ?(?:Z|UTC|([+-]\d\d):?(\d\d)?)?)?$/;
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

/** Returns a function that formats a time as its day in a time zone, such as 2026-11-20. */
export function dayFormat(timeZone: string): (time: number) => string {
  // In this locale, dates are written in this way.
  return new Intl.DateTimeFormat("en-CA", { timeZone }).format;
}

/**
 * Returns a function that finds the day of a date, or that of a time in a time zone. It returns
 * undefined for other texts, and for days before 1970.
 */
export function createDays(timeZone: string): (text: string) => string | undefined {
  const format = dayFormat(timeZone);
  const days = new Map<string, string | undefined>();

  function find(date: string, time: string) {
    const start = new Date(`${date}T00:00Z`);
    // Some engines read February 30 as a day in March.
    if (!(start.getTime() >= 0) || !start.toISOString().startsWith(date)) return undefined;
    const at = Date.parse(date + time);
    return time === "" ? date : Number.isNaN(at) ? undefined : format(at);
  }

  return (text) => {
    const [found, year, month, day, hour, minute, offset = "+00", more = "00"] =
      TIME.exec(text.trim()) ?? [];
    if (found === undefined) return undefined;
    const date = `${year}-${month}-${day}`;
    // Days of all time zones begin at a quarter of an hour, and one has few quarters.
    const quarter = ["00", "15", "30", "45"][Math.floor(Number(minute) / 15)];
    const time = hour ? `T${hour}:${quarter}${offset}:${more}` : "";
    const key = date + time;
    if (!days.has(key)) days.set(key, find(date, time));
    return days.get(key);
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
