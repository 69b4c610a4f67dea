import { formatCount } from "../badge/number.ts";
import { escape } from "../badge/text.ts";
import type { Days } from "../counter/days.ts";
import type { ChartLook } from "./chart_look.ts";
import { chartPaint } from "./chart_paint.ts";
import { drawHeading } from "./heading.ts";
import { drawPlot } from "./plot.ts";
import { barsOf } from "./range.ts";
import { FAMILIES } from "./type.ts";
import { description } from "./words.ts";

/** What a chart shows: the count, and the days up to today as far as they are known. */
export interface ChartFigures {
  readonly total: number;
  readonly days: Days;
}

/** Draws the hits of days, weeks or months as bars, as an SVG document. */
export function drawChart({ total, days }: ChartFigures, look: ChartLook): string {
  const { width, height, label } = look;
  const bars = barsOf(days, look.range);
  const within = days.hits.length === 0 ? undefined : bars.reduce((sum, { hits }) => sum + hits, 0);
  const paint = chartPaint(look);
  const sides = { left: MARGIN, right: width - MARGIN };
  const area = { ...sides, top: TOP, bottom: height - MARGIN };
  const title = `${label === "" ? "" : `${label}: `}${formatCount(total, look)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" role="img"><title>${escape(title)}</title>` +
    `<desc>${escape(description(bars, look))}</desc>${paint.css}${paint.panel}` +
    `<g text-anchor="middle" font-family="${FAMILIES}" text-rendering="geometricPrecision" ${paint.words}>` +
    drawHeading({ total, within, ...sides, baseline: BASELINE }, look) +
    `${drawPlot(bars, { look, paint, area })}</g></svg>`;
}

const MARGIN = 10;
const BASELINE = 22;
const TOP = 40;
