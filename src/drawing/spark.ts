import { formatterOf } from "./number.ts";
import { textHash } from "./text.ts";
import type { Bars } from "../badge/styles/style.ts";
import type { Days } from "../domain/history.ts";
import { trendOf, trendWords } from "../domain/trend.ts";

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

/**
 * Returns a trend as drawn, "▲ 12%", in a language, and as a screen reader says it in English,
 * ", up 12% in 7 days".
 */
export function weekTrend(percent: number, locale = "en") {
  const { format } = formatterOf(locale, "percent", PERCENT);
  const words = trendWords(percent, format);
  return { ...words, spoken: `, ${words.spoken} in 7 days` };
}

const PERCENT = (locale: string) => new Intl.NumberFormat(locale, { style: "percent" });

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
