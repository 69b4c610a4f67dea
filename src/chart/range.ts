import type { Day, Days } from "../counter/days.ts";
import { range as parameter } from "./parameters.ts";

/** How many bars a chart has, and how long one is. */
export interface Range {
  readonly count: number;
  readonly unit: "day" | "week" | "month";
}

/** One bar: its first day, and the hits from then until the next bar begins. */
export interface Bar {
  readonly first: Day;
  readonly hits: number;
}

type RangeName = (typeof parameter.schema.enum)[number];

const BY_NAME: Readonly<Record<RangeName, Range>> = {
  "30d": { count: 30, unit: "day" },
  "90d": { count: 90, unit: "day" },
  "12w": { count: 12, unit: "week" },
  "52w": { count: 52, unit: "week" },
  "12m": { count: 12, unit: "month" },
};

const RANGES: ReadonlyMap<string, Range> = new Map(Object.entries(BY_NAME));

/** Understands the `range` parameter; anything else is the default. */
export function parseRange(text: string | undefined): Range {
  return RANGES.get(text ?? "") ?? BY_NAME[parameter.schema.default];
}

/** The first day of the bar that is so many before the bar of `newest`. */
export function firstDay({ unit }: Range, newest: Day, back: number): Day {
  if (unit === "day") return newest - back;
  // 1970-01-01 was a Thursday; weeks begin on Monday, as ISO 8601 has them.
  if (unit === "week") return newest - (newest + 3) % 7 - 7 * back;
  const date = new Date(newest * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back) / DAY_MS;
}

/** The bars of a range, oldest first; the last one is not over yet. */
export function barsOf({ newest, hits }: Days, range: Range): Bar[] {
  const bars: Bar[] = [];
  let end = 0;
  for (let back = 0; back < range.count; back++) {
    const first = firstDay(range, newest, back);
    const start = newest - first + 1;
    bars.push({ first, hits: sum(hits.slice(end, start)) });
    end = start;
  }
  return bars.reverse();
}

const DAY_MS = 86_400_000;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
