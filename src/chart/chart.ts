import { formatCount } from "../badge/number.ts";
import { tenth } from "../badge/text.ts";
import type { Day, Days } from "../counter/days.ts";
import { type Area, BESIDE, drawAxis, SMALL } from "./axis.ts";
import { type Bar, barsOf, peakIndex, rangeSince } from "./bars.ts";
import { CURVE_STROKE, curveThrough, FINENESS } from "./curve.ts";
import { dateOfMark, description, spanOf } from "./dates.ts";
import { frame, paintOf, type PicturePaint } from "./frame.ts";
import type { ChartLook, ShownLook } from "./look.ts";
import { drawHeading, drawType, setType, type Type } from "./type.ts";

/** The figures of a chart: the count, and the known days up to today. */
export interface ChartFigures {
  readonly total: number;
  readonly days: Days;
}

/** Draws hits as bars or as a line, or the count as it grew, as an SVG document. */
export function drawChart({ total, days }: ChartFigures, given: ChartLook): string {
  const { width, height, label } = given;
  const look = { ...given, range: given.range ?? rangeSince(firstKnown(days), days.newest) };
  const bars = barsOf(days, look.range);
  const within = days.hits.length === 0 ? undefined : bars.reduce((sum, { hits }) => sum + hits, 0);
  const paint = paintOf(look, look);
  const sides = { left: MARGIN, right: width - MARGIN };
  const area = { ...sides, top: TOP, bottom: height - MARGIN };
  const span = spanOf(look.range, look.locale);
  const heading = { total, within, span, ...sides, baseline: BASELINE, strong: paint.strong };
  return frame(look, {
    title: `${label === "" ? "" : `${label}: `}${formatCount(total, look)}`,
    description: description(bars, look),
    paint,
    words: drawHeading(heading, look) + drawPlot(bars, { total, days, look, paint, area }),
  });
}

/** The edges of a chart, in pixels. */
export const MARGIN = 10;
export const BASELINE = 22;
export const TOP = 40;

/** Returns the first known day, or today if none is known. */
export function firstKnown({ newest, hits }: Days): Day {
  return newest - Math.max(0, hits.length - 1);
}

interface PlotOptions {
  readonly total: number;
  readonly days: Days;
  readonly look: ShownLook;
  readonly paint: PicturePaint;
  readonly area: Area;
}

/** Draws dashed lines at 0, ½ and 1 of a round number, the hits, numbers on the right and dates. */
function drawPlot(bars: readonly Bar[], { total, days, look, paint, area }: PlotOptions): string {
  const values = look.kind === "total" ? sumsUpTo(total, bars) : bars.map(({ hits }) => hits);
  const most = Math.max(...values);
  const { plot, ceiling, lines, grid, words } = drawAxis(bars, {
    most,
    look,
    area,
    numbers: "right",
  });
  const step = (plot.right - plot.left) / bars.length;
  const columns = bars.map(({ first }, index) => {
    const value = values[index] ?? 0;
    return {
      first,
      value,
      x: plot.left + (index + 0.5) * step,
      height: value === 0 ? 0 : Math.max(1, (plot.bottom - plot.top) * value / ceiling),
    };
  });
  const drawn = { columns, plot, look, paint, lines };
  const marks = look.kind === "total"
    ? drawRoundTotals(drawn)
    : drawPeak(drawn, peakIndex(bars, days));
  return `<path d="${grid}"${paint.lines} stroke-opacity=".4" stroke-dasharray="2 3"/>` +
    (look.kind === "bars" ? drawBars(drawn) : drawArea(drawn)) +
    `<g font-size="${SMALL.size}">${words}${marks}</g>`;
}

/** The count at the end of each bar: it was the total then, unless an owner has set it since. */
export function sumsUpTo(total: number, bars: readonly Bar[]): number[] {
  let sum = Math.max(0, total - bars.reduce((sum, { hits }) => sum + hits, 0));
  return bars.map(({ hits }) => sum += hits);
}

/** A bar, or a point of the line, in pixels. */
interface Column {
  readonly first: Day;
  readonly value: number;
  /** The middle. */
  readonly x: number;
  /** Above the ground; 0 for no hits. */
  readonly height: number;
}

interface Drawn {
  readonly columns: readonly Column[];
  readonly plot: Area;
  readonly look: ShownLook;
  readonly paint: PicturePaint;
  /** The heights of the dashed lines. */
  readonly lines: readonly number[];
}

const BOLD: Type = { size: 11, bold: true };
const WIDEST_BAR = 28;

/**
 * Draws bars as strokes with tops on whole pixels. Their places are 0, 1, 2 … on a ground that is
 * stretched to the plot, which takes half the bytes. The last bar is pale, because it is not over.
 */
function drawBars({ columns, plot, paint }: Drawn): string {
  const strokes = columns.map(({ height }, index) =>
    height === 0 ? "" : `M${index} 0v${Math.round(height)}`
  );
  const last = strokes.pop() ?? "";
  const step = (plot.right - plot.left) / columns.length;
  const [across, start, width] = [step, plot.left + step / 2, barWidth({ columns, plot }) / step]
    .map((length) => Math.round(length * 1000) / 1000);
  return `<g${paint.bars} transform="matrix(${across} 0 0 -1 ${start} ${plot.bottom})" ` +
    `stroke-width="${width}"><path d="${strokes.join("")}"/>` +
    `<path d="${last}" stroke-opacity=".45"/></g>`;
}

function barWidth({ columns, plot }: Pick<Drawn, "columns" | "plot">): number {
  return Math.min(WIDEST_BAR, 0.72 * (plot.right - plot.left) / columns.length);
}

/** One path is the line and the ground below it; what it has beyond the plot is cut off. */
function drawArea({ columns, plot, paint }: Drawn): string {
  const points = columns.map(({ x, height }) => ({
    x: FINENESS * x,
    y: FINENESS * (plot.bottom - height),
  }));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return "";
  const [left, right] = [FINENESS * plot.left, FINENESS * plot.right];
  const [top, bottom] = [FINENESS * (plot.top - 4), FINENESS * plot.bottom];
  return `<linearGradient id="g" x2="0" y2="1"><stop stop-color="${paint.tint}" stop-opacity=".42"/>` +
    `<stop offset="1" stop-color="${paint.tint}" stop-opacity=".02"/></linearGradient>` +
    `<clipPath id="k"><path d="M${left} ${top}H${right}V${bottom}H${left}z"/></clipPath>` +
    `<path ${CURVE_STROKE} clip-path="url(#k)" fill="url(#g)"${paint.bars} ` +
    `d="M${left - 20} ${bottom + 45}V${Math.round(first.y)}H${Math.round(first.x)}` +
    `${curveThrough(points)}H${right + 20}V${bottom + 45}z"/>`;
}

/** Writes number and date next to the peak, if there is one and room for them. */
function drawPeak({ columns, plot, look, paint, lines }: Drawn, index: number): string {
  const peak = columns[index];
  if (peak === undefined) return "";
  const number = setType(formatCount(peak.value, look), BOLD);
  const date = setType(dateOfMark(peak.first, look.range, look.locale), SMALL);
  const y = clearOf(lines, Math.round(plot.bottom - peak.height + 9));
  const aside = look.kind === "bars" ? barWidth({ columns, plot }) / 2 + 4 : 8;
  const dot = look.kind === "bars" ? "" : drawDot(peak, { plot, paint });
  for (const parts of [[number, date], [number]]) {
    const width = parts.reduce((sum, part) => sum + part.width + BESIDE, -BESIDE);
    for (const left of [peak.x + aside, peak.x - aside - width]) {
      if (!isFree({ left, right: left + width, y }, { columns, plot })) continue;
      let x = left;
      return dot + parts.map((part) => {
        const ink = part.type.bold ? paint.strong : "";
        const text = drawType(part, { x, y, at: "left", ink });
        x += part.width + BESIDE;
        return text;
      }).join("");
    }
  }
  return dot;
}

/** The baseline, moved up if a dashed line would run through the text on it. */
function clearOf(lines: readonly number[], y: number): number {
  const crossing = lines.find((line) => line > y - 9 && line < y + 2);
  return crossing === undefined ? y : crossing - 3;
}

/** Reports whether a text is inside the plot and no column reaches up to it. */
function isFree(
  { left, right, y }: { left: number; right: number; y: number },
  { columns, plot }: Pick<Drawn, "columns" | "plot">,
): boolean {
  const half = barWidth({ columns, plot }) / 2;
  return left >= plot.left && right <= plot.right &&
    columns.every(({ x, height }) =>
      x + half < left || x - half > right || plot.bottom - height > y + 3
    );
}

/** The totals that people celebrate. */
const ROUND = [1, 2, 5];
const MAX_MARKS = 2;

/** A dot on the line. */
function drawDot({ x, height }: Column, { plot, paint }: Pick<Drawn, "plot" | "paint">): string {
  return `<circle cx="${tenth(x)}" cy="${tenth(plot.bottom - height)}" r="4"${paint.dot}/>`;
}

/** Marks the last round totals with the day on which they were reached, and the total of today. */
function drawRoundTotals({ columns, plot, look, paint, lines }: Drawn): string {
  const marks = columns.slice(-1).map((last) => drawDot(last, { plot, paint }));
  let edge = plot.right;
  for (let index = columns.length - 1; index > 0 && marks.length <= MAX_MARKS; index--) {
    const [column, before] = [columns[index], columns[index - 1]];
    if (column === undefined || before === undefined) break;
    const round = largestRound(column.value);
    if (round <= before.value) continue;
    const number = setType(formatCount(round, { numbers: "compact", locale: look.locale }), BOLD);
    const date = setType(dateOfMark(column.first, look.range, look.locale), SMALL);
    const right = Math.min(column.x - 8, edge);
    const left = right - date.width - BESIDE - number.width;
    if (left < plot.left) continue;
    const top = plot.bottom - column.height;
    const y = clearOf(lines, Math.round(Math.max(plot.top + 4, top - 6)));
    marks.push(
      drawDot(column, { plot, paint }) +
        drawType(number, { x: left, y, at: "left", ink: paint.strong }) +
        drawType(date, { x: right, y, at: "right" }),
    );
    edge = left - 2 * BESIDE;
  }
  return marks.join("");
}

function largestRound(value: number): number {
  if (value < 1) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (ROUND.findLast((step) => step * power <= value) ?? 1);
}
