/** A whole number, also as 57.0, or with groups of three digits that one mark separates. */
const WHOLE = /^(?:\d+(?:[.,]0)?|\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*)$/;
/** A number with a fraction, such as a rate. */
const FRACTION = /^[-+]?\d[\d.,'’\u00a0\u202f ]*[.,]\d+$/;
/** Words for the sum of a column, in the languages of widely used services. */
const TOTAL =
  /^(?:(?:grand |sub)?totals?|total general|totale|totaal|toplam|sum|somme|summe|suma|soma|gesamt(?:summe)?|insgesamt|razem|итого|всего|[合总總][计計]|합계)\s*:?$/i;

/** Returns a whole number from 0. Returns undefined if a text is none. */
export function wholeNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!WHOLE.test(trimmed)) return undefined;
  const value = Number(trimmed.replace(/[.,]0$/, "").replace(/\D/g, ""));
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

/** Writes a cell of CSV. Quotes it if a reader would otherwise take it for something else. */
export function csvCell(text: string): string {
  // A spreadsheet would run such a text as a formula.
  const safe = /^'*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",;\t\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
