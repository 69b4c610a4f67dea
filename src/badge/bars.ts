import { textHash } from "../drawing/text.ts";
import type { Days } from "../domain/history.ts";
import { trendOf } from "../domain/trend.ts";

/** Bars between label and message, or none. */
export interface Bars {
  /** In whole pixels; 0 for none. */
  readonly width: number;
  /** Goes into the ETag, so that it is safe in a URL; empty without bars. */
  readonly tag: string;
  /** Draws them from this pixel on; `ink` is an attribute such as `fill="#fff"`. */
  draw(left: number, ink: string): string;
  /** Percent by which the last seven whole days exceed the seven before. Undefined if unknown. */
  readonly trend: number | undefined;
}

export const NO_BARS: Bars = { width: 0, tag: "", draw: () => "", trend: undefined };

/** Returns the hits of the last `count` days as the bars of a badge. */
export function badgeBars({ hits }: Days, count: number): Bars {
  const shown = Array.from({ length: count }, (_, index) => hits[count - 1 - index] ?? 0);
  const most = Math.max(...shown);
  const trend = trendOf(hits).percent;
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
