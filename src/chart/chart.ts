import { formatCount } from "../badge/number.ts";
import type { Days } from "../counter/days.ts";
import { drawHeading } from "./heading.ts";
import { type ChartLook, frame, paintOf } from "./look.ts";
import { drawPlot } from "./plot.ts";
import { barsOf } from "./range.ts";
import { description, spanOf } from "./words.ts";

/** What a chart shows: the count, and the days up to today as far as they are known. */
export interface ChartFigures {
  readonly total: number;
  readonly days: Days;
}

/** Draws the hits of days, weeks or months as bars or as a line, or the count as it grew, as an SVG document. */
export function drawChart({ total, days }: ChartFigures, look: ChartLook): string {
  const { width, height, label } = look;
  const bars = barsOf(days, look.range);
  const within = days.hits.length === 0 ? undefined : bars.reduce((sum, { hits }) => sum + hits, 0);
  const paint = paintOf(look, look);
  const sides = { left: MARGIN, right: width - MARGIN };
  const area = { ...sides, top: TOP, bottom: height - MARGIN };
  const span = spanOf(look.range, look.locale);
  const heading = { total, within, span, ...sides, baseline: BASELINE };
  return frame(look, {
    title: `${label === "" ? "" : `${label}: `}${formatCount(total, look)}`,
    description: description(bars, look),
    paint,
    words: drawHeading(heading, look) + drawPlot(bars, { total, look, paint, area }),
  });
}

const MARGIN = 10;
const BASELINE = 22;
const TOP = 40;
