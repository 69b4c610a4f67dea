import { formatCount } from "../badge/number.ts";
import { trendOf, trendWords } from "../badge/spark.ts";
import { cleanText } from "../badge/text.ts";
import type { ChartFigures } from "./chart.ts";
import { curveThrough } from "./curve.ts";
import { spanOf, todayIn } from "./dates.ts";
import { frame, paintOf } from "./frame.ts";
import type { PictureLook } from "./look.ts";
import { drawType, setType, setWithin, tenth } from "./type.ts";

/** The size of a card in pixels. */
export const CARD = { width: 400, height: 150 };
/** How many days its line shows. */
export const CARD_DAYS = 30;

/** Can be seen on a light page and on a dark one. */
const GREEN = "#17957f";
const LEFT = 20;
const RIGHT = CARD.width - 20;
/** The line runs between these heights. */
const PEAK = 98;
const GROUND = 138;
const WEEK = { count: 7, unit: "day" } as const;
/** The room that the mark takes before the name. */
const MARK = 22;
/** Of count and label, in pixels. */
const MOST_WIDTH = 230;
const LARGEST = { size: 30, bold: true };
const LARGE = { size: 22, bold: true };
const SMALL = { size: 11, bold: false };

/** Draws a counter's name, its count, today's hits, the trend of seven days and a line of thirty, as an SVG document. */
export function drawCard(
  { id, total, days }: ChartFigures & { readonly id: string },
  look: PictureLook,
): string {
  const paint = paintOf({ ...look, color: look.color ?? GREEN }, CARD);
  const name = cleanText(id);
  const count = formatCount(total, look);
  const today = formatCount(days.hits[0] ?? 0, look);
  const percent = trendOf(days.hits);
  const trend = percent === undefined ? undefined : trendWords(percent);
  const label = setWithin(look.label, SMALL, MOST_WIDTH);
  const strong = (drawn: string) => `<g ${paint.strong}>${drawn}</g>`;
  return frame(CARD, {
    title: `${name}: ${count}${look.label === "" ? "" : ` ${look.label}`}`,
    description: `${today} today${trend?.spoken ?? ""}`,
    paint,
    ground: drawLine(days.hits, paint) +
      `<g fill="none" stroke-width="1.8" stroke-linecap="round">` +
      `<path ${paint.lines} d="M21 17v9m3-9v9m3-9v9m3-9v9"/>` +
      `<path ${paint.bars} d="M19 24.5l13-6"/></g>`,
    words: strong(drawName(name) + drawCount(count)) +
      `<g font-size="11">` +
      (label === undefined ? "" : drawType(label, { x: LEFT, y: 87, at: "left" })) +
      drawAside({ figure: today, size: 14, words: todayIn(look.locale), y: 56 }, strong) +
      (trend === undefined ? "" : drawAside({
        figure: trend.drawn,
        size: 11,
        words: spanOf(WEEK, look.locale),
        y: 74,
      }, strong)) +
      `</g>`,
  });
}

function drawName(name: string): string {
  const set = setWithin(name, { size: 13, bold: true }, RIGHT - LEFT - MARK);
  return set === undefined ? "" : sized(13, drawType(set, { x: LEFT + MARK, y: 27, at: "left" }));
}

/** As large as there is room for beside the figures on the right. */
function drawCount(count: string): string {
  const large = setType(count, LARGEST);
  const set = large.width <= MOST_WIDTH ? large : setType(count, LARGE);
  return sized(set.type.size, drawType(set, { x: LEFT, y: 68, at: "left" }));
}

function sized(size: number, drawn: string): string {
  return `<g font-size="${size}">${drawn}</g>`;
}

/** A figure at the right edge, and before it in quieter ink what it is. */
function drawAside(
  { figure, size, words, y }: { figure: string; size: number; words: string; y: number },
  strong: (drawn: string) => string,
): string {
  const set = setType(figure, { size, bold: true });
  const quiet = setType(words, SMALL);
  return strong(sized(size, drawType(set, { x: RIGHT, y, at: "right" }))) +
    drawType(quiet, { x: RIGHT - set.width - 6, y, at: "right" });
}

/** The days up to today, from edge to edge; nothing where none are known. */
function drawLine(hits: readonly number[], { bars, tint }: { bars: string; tint: string }): string {
  const shown = Array.from({ length: CARD_DAYS }, (_, index) => hits[CARD_DAYS - 1 - index] ?? 0);
  const most = Math.max(...shown);
  if (most === 0) return "";
  const step = (CARD.width - 2) / (CARD_DAYS - 1);
  const points = shown.map((number, index) => ({
    x: 1 + index * step,
    y: GROUND - (GROUND - PEAK) * number / most,
  }));
  return `<linearGradient id="g" x2="0" y2="1"><stop stop-color="${tint}" stop-opacity=".38"/>` +
    `<stop offset="1" stop-color="${tint}" stop-opacity=".04"/></linearGradient>` +
    `<clipPath id="k"><rect x="1" y="1" width="398" height="148" rx="6"/></clipPath>` +
    `<path clip-path="url(#k)" fill="url(#g)" ${bars} stroke-width="2" stroke-linejoin="round" ` +
    `d="M-4 154V${tenth(points[0]?.y ?? 0)}H1${curveThrough(points)}h5V154z"/>`;
}
