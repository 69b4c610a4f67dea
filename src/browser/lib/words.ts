export function errorMessage(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

/** The reader's kind of English, because the page is in English. */
export const LANGUAGE = navigator.languages.find((tag) => tag.startsWith("en")) ?? "en";

export const { format: grouped } = new Intl.NumberFormat(LANGUAGE);
/** Returns three digits of a number, such as "12.3M". */
export const { format: compact } = new Intl.NumberFormat(LANGUAGE, {
  notation: "compact",
  maximumSignificantDigits: 3,
  roundingMode: "trunc",
});

/** Returns a time, with its date if it is not today's. */
export function timeText(time: number) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  const dateStyle = isToday ? undefined : "medium";
  return date.toLocaleString(LANGUAGE, { timeStyle: "short", dateStyle });
}

/** Returns "1 counter" or "2 counters". */
export function plural(count: number, noun: string) {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}
