import type { Days } from "../domain/history.ts";
import { trendOf } from "../domain/trend.ts";

/** Bars between label and message, or none. */
export interface Bars {
  /** In whole pixels; 0 for none. */
  readonly width: number;
  /** Draws them from this pixel on, in the middle of a height; `ink` is an attribute of a fill. */
  draw(left: number, ink: string, height?: number): string;
  /** Percent by which the last seven whole days exceed the seven before. Undefined if unknown. */
  readonly trend: number | undefined;
}

export const NO_BARS: Bars = { width: 0, draw: () => "", trend: undefined };

/** Returns the hits of the last `count` days as the bars of a badge. */
export function badgeBars({ hits }: Days, count: number): Bars {
  const shown = Array.from({ length: count }, (_, index) => hits[count - 1 - index] ?? 0);
  const most = Math.max(...shown);
  const trend = trendOf(hits).percent;
  return { width: count * STEP - 1, draw, trend };

  function draw(left: number, ink: string, height = 20): string {
    const bar = (x: number, length: number) =>
      `M${x} ${(height + TALLEST) / 2}v-${length}h2v${length}z`;
    let past = "";
    let none = "";
    let today = "";
    shown.forEach((number, index) => {
      const x = Math.round(left) + index * STEP;
      if (number === 0) none += bar(x, 1);
      else if (index === count - 1) today = bar(x, heightOf(number, most));
      else past += bar(x, heightOf(number, most));
    });
    return `<g${ink}>${path(past)}${path(none, ".35")}${path(today, ".55")}</g>`;
  }
}

const STEP = 3;
const TALLEST = 12;

function heightOf(hits: number, most: number): number {
  return Math.max(1, Math.round(TALLEST * hits / most));
}

function path(d: string, opacity = ""): string {
  return d === "" ? "" : `<path d="${d}"${opacity === "" ? "" : ` opacity="${opacity}"`}/>`;
}
