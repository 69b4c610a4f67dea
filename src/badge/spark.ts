import { formatterOf } from "./number.ts";
import { textHash } from "./text.ts";
import type { Bars } from "./styles/style.ts";
import type { Days } from "../counter/history.ts";

/** Returns the hits of the last `count` days as the bars of a badge. */
export function badgeBars({ hits }: Days, count: number): Bars {
  const shown = Array.from({ length: count }, (_, index) => hits[count - 1 - index] ?? 0);
  const most = Math.max(...shown);
  const trend = trendOf(hits);
  const tag = `-${textHash(`${shown} ${trend}`)}`;
  return { width: count * STEP - 1, tag, draw, trend };

  function draw(left: number, ink: string): string {
    let past = "";
    let none = "";
    let today = "";
    shown.forEach((number, index) => {
      const x = left + index * STEP;
      if (number === 0) none += bar(x, 1);
      else if (index === count - 1) today = bar(x, heightOf(number, most));
      else past += bar(x, heightOf(number, most));
    });
    return path(past, ink) + path(none, `${ink} opacity=".35"`) +
      path(today, `${ink} opacity=".55"`);
  }
}

/**
 * Returns by how many percent the last seven whole days exceed the seven before them. Leaves out
 * today, which is not over. Returns undefined if the earlier days had no hits or are unknown.
 */
export function trendOf(hits: readonly number[]): number | undefined {
  if (hits.length < TREND_DAYS) return undefined;
  const last = sum(hits.slice(1, WEEK + 1));
  const before = sum(hits.slice(WEEK + 1, TREND_DAYS));
  return before === 0 ? undefined : Math.round(100 * (last - before) / before);
}

/** Returns a trend as drawn, "▲ 12%", and as a screen reader says it, ", up 12% in 7 days". */
export function trendWords(
  percent: number,
  locale = "en",
): { drawn: string; spoken: string; isUp: boolean } {
  const size = Math.min(Math.abs(percent), MAX_PERCENT);
  const isUp = percent >= 0;
  const spoken = percent === 0 ? "steady" : `${isUp ? "up" : "down"} ${size}%`;
  const drawn = formatterOf(locale, "percent", PERCENT).format(size / 100);
  return { drawn: `${isUp ? "▲" : "▼"} ${drawn}`, spoken: `, ${spoken} in 7 days`, isUp };
}

const PERCENT = (locale: string) => new Intl.NumberFormat(locale, { style: "percent" });
const WEEK = 7;
/** Minimum number of days with a trend: two weeks before today. */
export const TREND_DAYS = 2 * WEEK + 1;
/** More is a beginning, not a trend. */
const MAX_PERCENT = 999;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const STEP = 3;
const BOTTOM = 16;
const TALLEST = 12;

function heightOf(hits: number, most: number): number {
  return Math.max(1, Math.round(TALLEST * hits / most));
}

function bar(x: number, height: number): string {
  return `M${x} ${BOTTOM}v-${height}h2v${height}z`;
}

function path(d: string, ink: string): string {
  return d === "" ? "" : `<path d="${d}"${ink}/>`;
}
