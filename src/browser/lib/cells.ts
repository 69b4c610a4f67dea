import { trendOf, trendWords } from "../../domain/trend.ts";
import { draw, make } from "./make.ts";
import { compact, grouped, LANGUAGE } from "./words.ts";
import { knownDays, sparkline } from "./figures.ts";

/** Most views that are shown in full. */
export const MAX_WHOLE = 9_999_999;

/** Returns a number in full up to `MAX_WHOLE`, and three digits of a larger one. */
export function short(value: number) {
  return value <= MAX_WHOLE ? grouped(value) : compact(value);
}

const percent = new Intl.NumberFormat(LANGUAGE, { style: "percent" });

/** Returns the trend of full days as an element, with words for screen readers. */
export function trend(days: readonly number[], span = 7) {
  const { last, before, percent: change } = trendOf(knownDays(days), span);
  if (change === undefined) {
    return last === 0 ? make("span.down", "–") : make("span.up", { title: compared() }, "new");
  }
  const { drawn, spoken, isUp } = trendWords(change, percent.format);
  return make(
    isUp ? "span.up" : "span.down",
    { title: compared() },
    make("span.sr", spoken),
    make("span", { "aria-hidden": true }, drawn),
  );

  function compared() {
    return `${grouped(last)} views in the ${span} days before today, compared with ` +
      `${grouped(before)} in the ${span} before. Today counts once it is over.`;
  }
}

/** Returns the trend of full days, and what it is compared with if that had views. */
export function comparison(days: readonly number[], span: number) {
  const { percent: change } = trendOf(knownDays(days), span);
  const words = change !== undefined && ` vs ${span} days before`;
  return make("span", trend(days, span), words);
}

/** Returns the trend of a week in words. */
export function weekFacts(days: readonly number[]) {
  const { last, before } = trendOf(knownDays(days));
  return make("span", `${grouped(last)} (${grouped(before)} before) `, trend(days));
}

/** Draws the last 30 days as strokes. */
export function sparkOf(days: readonly number[]) {
  const { before, today } = sparkline(days);
  return draw(
    "svg.spark",
    { viewBox: "0 0 120 23.5", preserveAspectRatio: "none", "aria-hidden": true },
    draw("path", { d: before }),
    draw("path.now", { d: today }),
  );
}
