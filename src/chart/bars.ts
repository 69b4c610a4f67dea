import { textHash } from "../badge/drawings.ts";
import type { Bars } from "../badge/styles/style.ts";
import type { Days } from "../counter/days.ts";

/** The hits of so many days, up to the newest, as the bars of a badge. */
export function badgeBars({ hits }: Days, count: number): Bars {
  const shown = Array.from({ length: count }, (_, index) => hits[count - 1 - index] ?? 0);
  const most = Math.max(...shown);
  return { width: count * STEP - 1, tag: `-${textHash(shown.join())}`, draw };

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
  return d === "" ? "" : `<path d="${d}" ${ink}/>`;
}
