import { formatCount } from "../badge/number.ts";
import { escape } from "../badge/text.ts";
import { VERDANA } from "../badge/verdana.ts";
import type { Days } from "../counter/days.ts";
import { type ChartLook, type ChartPaint, chartPaint } from "./look.ts";
import { drawPlot } from "./plot.ts";
import { barsOf } from "./range.ts";
import { drawType, type Setting, setType, setWithin } from "./type.ts";
import { description, spanOf } from "./words.ts";

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
  const drawing = drawHeading({ total, within, ...sides, baseline: BASELINE }, look) +
    drawPlot(bars, { look, paint, area });
  return frame(look, { title, description: description(bars, look), paint, drawing });
}

/** Draws what went wrong in the place of a chart, as large as the chart would have been. */
export function drawChartError(
  { badge: words, detail }: { badge: string; detail: string },
  look: ChartLook,
): string {
  const { width, height, label } = look;
  const paint = chartPaint(look);
  const room = width - 2 * MARGIN;
  const heading = setWithin(label, { size: SIZE, bold: false }, room);
  const middle = setWithin(words, { size: SIZE, bold: true }, room);
  const drawing = `<g font-size="${SIZE}">` +
    (heading === undefined ? "" : drawType(heading, { x: MARGIN, y: BASELINE, at: "left" })) +
    (middle === undefined ? "" : drawType(middle, { x: width / 2, y: height / 2, at: "middle" })) +
    `</g>`;
  const title = label === "" ? words : `${label}: ${words}`;
  return frame(look, { title, description: detail, paint, drawing });
}

interface Parts {
  readonly title: string;
  readonly description: string;
  readonly paint: ChartPaint;
  readonly drawing: string;
}

function frame(
  { width, height }: ChartLook,
  { title, description, paint, drawing }: Parts,
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" role="img"><title>${escape(title)}</title>` +
    `<desc>${escape(description)}</desc>${paint.css}${paint.panel}` +
    `<g text-anchor="middle" font-family="${VERDANA}" text-rendering="geometricPrecision" ${paint.words}>` +
    `${drawing}</g></svg>`;
}

const SIZE = 13;
const MARGIN = 10;
const BASELINE = 22;
const TOP = 40;

/** What stands above a chart, and where. */
interface Heading {
  readonly total: number;
  /** Hits within the range; undefined where no days are known. */
  readonly within: number | undefined;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
}

/** Draws the label on the left, and "12,345 · 2,434 in 30 days" on the right. */
function drawHeading(heading: Heading, look: ChartLook): string {
  const { left, right, baseline: y } = heading;
  const size = right - left < NARROW ? 11 : 13;
  const label = setType(look.label, { size, bold: false });
  const figures = setFigures(heading, { look, size, label });
  const shown = setWithin(look.label, label.type, right - left - widthOf(figures) - GAP);
  let x = right - widthOf(figures);
  const drawn = figures.map((part) => {
    const text = drawType(part, { x, y, at: "left" });
    x += part.width + SPACE;
    return text;
  });
  const labelText = shown === undefined ? "" : drawType(shown, { x: left, y, at: "left" });
  return `<g font-size="${size}">${labelText}${drawn.join("")}</g>`;
}

const NARROW = 300;
const SPACE = 4;
const GAP = 12;
/** How much of a label should be seen before the numbers become shorter. */
const LEAST_LABEL = 60;

interface Room {
  readonly look: ChartLook;
  readonly size: number;
  readonly label: Setting;
}

/** The figures from left to right, as long as there is room for: in full, compact, or the count alone. */
function setFigures(heading: Heading, { look, size, label }: Room): readonly Setting[] {
  const room = heading.right - heading.left;
  const full = figuresIn(heading, { look, size });
  if (widthOf(full) + GAP + Math.min(label.width, LEAST_LABEL) <= room) return full;
  const compact = figuresIn(heading, { look: { ...look, numbers: "compact" }, size });
  return widthOf(compact) <= room ? compact : compact.filter(({ type }) => type.bold);
}

function figuresIn(
  { total, within }: Heading,
  { look, size }: Pick<Room, "look" | "size">,
): readonly Setting[] {
  const count = setType(formatCount(total, look), { size, bold: true });
  if (within === undefined) return [count];
  const joined = ENGLISH.test(look.locale) ? "in" : "/";
  const words = `· ${formatCount(within, look)} ${joined} ${spanOf(look.range, look.locale)}`;
  const rest = setType(words, { size, bold: false });
  // Read from the right, the count comes first there.
  return rest.line.direction === "" ? [count, rest] : [rest, count];
}

const ENGLISH = /^en\b/;

function widthOf(figures: readonly Setting[]): number {
  return figures.reduce((sum, { width }) => sum + width + SPACE, -SPACE);
}
