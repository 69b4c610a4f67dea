import { formatCount } from "../drawing/number.ts";
import { tenth } from "../drawing/text.ts";
import type { Day, Days } from "../domain/history.ts";
import { BESIDE, drawAxis, SMALL } from "./axis.ts";
import { type Bar, barsOf, peakIndex, rangeSince } from "./bars.ts";
import { drawCurve, drawDashes, drawHill, shadeOf } from "./curve.ts";
import { dateOfMark, description, spanOf } from "./dates.ts";
import { frame, inksOf } from "./frame.ts";
import type { ChartLook, ShownLook } from "./look.ts";
import { drawHeading, drawRow, drawType, setType, type Type, widthOf } from "./type.ts";

/** The figures of a chart: the count, and the known days up to today. */
export interface ChartFigures {
  readonly total: number;
  readonly days: Days;
}

/**
 * Draws hits as bars or as a line, or the count as it grew, as an SVG document. Dashed lines are at
 * 0, ½ and 1 of a round number.
 */
export function drawChart({ total, days }: ChartFigures, given: ChartLook): string {
  const look = { ...given, range: given.range ?? rangeSince(firstKnown(days), days.newest) };
  const bars = barsOf(days, look.range);
  // The line does not reach the open step.
  const shown = look.kind === "area" ? bars.slice(0, -1) : bars;
  const layout = layOut(shown, { total, look });
  const { inks, grid, words } = layout;
  const marks = look.kind === "total"
    ? drawRoundTotals(layout)
    : drawPeak(layout, peakIndex(shown, days));
  const heading = {
    total,
    within: days.hits.length === 0 ? undefined : bars.reduce((sum, { hits }) => sum + hits, 0),
    span: spanOf(look.range, look.locale),
    left: MARGIN,
    right: look.width - MARGIN,
    baseline: BASELINE,
    strong: inks.strong,
  };
  return frame(look, {
    title: `${look.label === "" ? "" : `${look.label}: `}${formatCount(total, look)}`,
    description: description(bars, look),
    inks,
    words: drawHeading(heading, look) +
      `<path d="${grid}"${inks.lines} stroke-opacity=".4" stroke-dasharray="2 3"/>` +
      (look.kind === "bars" ? drawBars(layout) : drawArea(layout)) +
      `<g font-size="${SMALL.size}">${words}${marks}</g>`,
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

/**
 * Returns the count at the end of each bar. It was the total then, unless an owner has set it
 * since.
 */
export function sumsUpTo(total: number, bars: readonly Bar[]): number[] {
  let sum = Math.max(0, total - bars.reduce((sum, { hits }) => sum + hits, 0));
  return bars.map(({ hits }) => sum += hits);
}

/** Returns the axes of a chart, its inks, and its bars or the points of its line, in pixels. */
function layOut(bars: readonly Bar[], { total, look }: { total: number; look: ShownLook }) {
  const values = look.kind === "total" ? sumsUpTo(total, bars) : bars.map(({ hits }) => hits);
  const axis = drawAxis(bars, {
    most: Math.max(...values),
    look,
    area: { left: MARGIN, right: look.width - MARGIN, top: TOP, bottom: look.height - MARGIN },
  });
  const { plot, ceiling } = axis;
  const width = plot.right - plot.left;
  /** From one bar to the next. */
  const step = width / bars.length;
  const columns = bars.map(({ first }, index) => {
    const value = values[index] ?? 0;
    return {
      first,
      value,
      /** The middle of its top, which is on the ground if there are no hits. */
      x: plot.left + (index + 0.5) * step,
      y: plot.bottom -
        (value === 0 ? 0 : Math.max(1, (plot.bottom - plot.top) * value / ceiling)),
    };
  });
  const barWidth = Math.min(WIDEST_BAR, 0.72 * width / bars.length);
  return { ...axis, look, inks: inksOf(look, look), step, columns, barWidth };
}

type Layout = ReturnType<typeof layOut>;
type Column = Layout["columns"][number];

const BOLD: Type = { size: 11, bold: true };
const WIDEST_BAR = 28;

/**
 * Draws bars as strokes with tops on whole pixels. Their places are 0, 1, 2 … on a ground that is
 * stretched to the plot, which takes half the bytes. The last bar is pale, because it is not over.
 */
function drawBars({ columns, plot, inks, look, step, barWidth }: Layout): string {
  const strokes = columns.map(({ value, y }, index) =>
    value === 0 ? "" : `M${index} 0v${Math.round(plot.bottom - y)}`
  );
  const last = look.kind === "bars" ? strokes.pop() ?? "" : "";
  const [across, start, width] = [step, plot.left + step / 2, barWidth / step]
    .map((length) => Math.round(length * 1000) / 1000);
  return `<g${inks.bars} transform="matrix(${across} 0 0 -1 ${start} ${plot.bottom})" ` +
    `stroke-width="${width}"><path d="${strokes.join("")}"/>` +
    `${last === "" ? "" : `<path d="${last}" stroke-opacity=".45"/>`}</g>`;
}

/**
 * Draws the line and the ground below it as one path, clipped to the plot. They end with the last
 * full step. If the line is a total, the open step follows dashed.
 */
function drawArea(layout: Layout): string {
  const { columns, plot, inks, look } = layout;
  const isTotal = look.kind === "total";
  const full = isTotal ? columns.slice(0, -1) : columns;
  const [last, open] = [full.at(-1), columns.at(-1)];
  if (last === undefined || open === undefined) return "";
  if (!isTotal && look.range.unit === "day" && full.length > MAX_POINTS) return drawMeans(layout);
  const hill = drawHill(full, { ...plot, right: last.x, top: plot.top - 4 }, inks);
  if (!isTotal) return hill + drawDot(last, layout, 3);
  const [left, start, right, end] = [last.x, last.y, open.x, open.y].map(tenth);
  const step = `M${left} ${start}L${right} ${end}`;
  return hill + `<path${shadeOf(inks)} opacity=".45" d="${step}V${plot.bottom}H${left}z"/>` +
    drawDashes(step, ` fill="none"${inks.bars}`);
}

/** More days are too close together for a line from each to the next. */
export const MAX_POINTS = 31;
const WEEK = 7;

/** Draws the days as faint bars, and above them a line of the means of seven. */
function drawMeans(layout: Layout): string {
  const means = weeklyMeans(layout.columns);
  return `<g opacity=".35">${drawBars(layout)}</g>` +
    drawCurve(means, ` fill="none"${layout.inks.bars}`) +
    means.slice(-1).map((last) => drawDot(last, layout, 3)).join("");
}

/** Returns every seventh column, up to the last, as the mean of it and the six before. */
function weeklyMeans(columns: readonly Column[]): Column[] {
  return columns.flatMap((column, index) => {
    const week = columns.slice(Math.max(0, index + 1 - WEEK), index + 1);
    if (week.length < WEEK || (columns.length - 1 - index) % WEEK !== 0) return [];
    return [{ ...column, y: week.reduce((sum, { y }) => sum + y, 0) / WEEK }];
  });
}

/** Writes number and date next to the peak, if there is one and room for them. */
function drawPeak(layout: Layout, index: number): string {
  const { columns, look, inks, lines, barWidth } = layout;
  const peak = columns[index];
  if (peak === undefined) return "";
  const number = setType(formatCount(peak.value, look), BOLD);
  const date = setType(dateOfMark(peak.first, look.range, look.locale), SMALL);
  const y = clearOf(lines, Math.round(peak.y + 9));
  const aside = look.kind === "bars" ? barWidth / 2 + 4 : 8;
  const dot = look.kind === "bars" ? "" : drawDot(peak, layout);
  for (const parts of [[number, date], [number]]) {
    const width = widthOf(parts, BESIDE);
    const left = [peak.x + aside, peak.x - aside - width]
      .find((left) => isFree({ left, right: left + width, y }, layout));
    if (left === undefined) continue;
    return dot + drawRow(parts, { left, y, gap: BESIDE, strong: inks.strong });
  }
  return dot;
}

/** Returns the baseline, moved up if a dashed line would run through the text on it. */
function clearOf(lines: readonly number[], y: number): number {
  const crossing = lines.find((line) => line > y - 9 && line < y + 2);
  return crossing === undefined ? y : crossing - 3;
}

/** Reports whether a text is inside the plot and no column reaches up to it. */
function isFree(
  { left, right, y }: { left: number; right: number; y: number },
  { columns, plot, barWidth }: Layout,
): boolean {
  const half = barWidth / 2;
  return left >= plot.left && right <= plot.right &&
    columns.every((column) =>
      column.x + half < left || column.x - half > right || column.y > y + 3
    );
}

/** The totals that people celebrate. */
const ROUND = [1, 2, 5];
const MAX_MARKS = 2;

/** Draws a dot on the line. */
function drawDot({ x, y }: Column, { inks }: Layout, radius = 4, ink = inks.dot): string {
  return `<circle cx="${tenth(x)}" cy="${tenth(y)}" r="${radius}"${ink}/>`;
}

/** Marks the last round totals with the day on which they were reached, and the total of today. */
function drawRoundTotals(layout: Layout): string {
  const { columns, plot, look, inks, lines } = layout;
  // An open dot, because the total of today may still grow.
  const open = ` stroke-width="2" fill="none"${inks.bars}`;
  const marks = columns.slice(-1).map((last) => drawDot(last, layout, 3.5, open));
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
    const y = clearOf(lines, Math.round(Math.max(plot.top + 4, column.y - 6)));
    marks.push(
      (index === columns.length - 1 ? "" : drawDot(column, layout)) +
        drawType(number, { x: left, y, at: "left", ink: inks.strong }) +
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
