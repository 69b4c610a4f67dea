import { type Day, firstDayOf, type Held, upTo, yearOf } from "./days.ts";

/** The stretches of time whose hits can be asked for; those that end today include it. */
export const PERIODS = [
  "today",
  "yesterday",
  "7d",
  "30d",
  "365d",
  "month",
  "year",
  "total",
] as const;

/** One of {@linkcode PERIODS}. */
export type Period = typeof PERIODS[number];

/** The period that a text names; undefined where it names none. */
export function parsePeriod(text: string): Period | undefined {
  return PERIODS.find((period) => period === text);
}

/** The first day that a period may reach back to; -Infinity for "total", which asks for no days. */
export function beginningOf(period: Period, today: Day): Day {
  switch (period) {
    case "today":
      return today;
    case "yesterday":
      return today - 1;
    case "7d":
    case "30d":
    case "365d":
      return today - parseInt(period) + 1;
    case "month":
      return today - new Date(today * 86_400_000).getUTCDate() + 1;
    case "year":
      return firstDayOf(yearOf(today));
    case "total":
      return -Infinity;
  }
}

/** The hits of a counter in a period; its newest day is today where that is later, as its clock may be ahead. */
export function hitsIn(period: Period, { held, today }: { held: Held; today: Day }): number {
  if (period === "total") return held.hits;
  if (held.days === undefined) return 0;
  const { newest, hits } = upTo(held.days, today);
  const last = period === "yesterday" ? 1 : 0;
  const length = newest - beginningOf(period, newest) + 1;
  return hits.slice(last, length).reduce((sum, number) => sum + number, 0);
}
