export function errorMessage(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

const integers = new Intl.NumberFormat();
const short = /* @__PURE__ */ new Intl.NumberFormat([], {
  notation: "compact",
  maximumSignificantDigits: 3,
  roundingMode: "trunc",
});

export function grouped(value: number) {
  return integers.format(value);
}

/** Returns three digits of a number, such as "12.3M". */
export function compact(value: number) {
  return short.format(value);
}

export function timeText(time: number) {
  return new Date(time).toLocaleTimeString([], { timeStyle: "short" });
}

/** Returns "1 counter" or "2 counters". */
export function plural(count: number, noun: string) {
  return `${integers.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}
