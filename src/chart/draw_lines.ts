import { formatCount } from "../drawing/number.ts";
import { tenth, textFor } from "../drawing/text.ts";
import type { Day } from "../domain/history.ts";
import { type Area, BESIDE, drawAxis, SMALL } from "./axis.ts";
import { type Bar, barsOf, type Range, rangeSince } from "./bars.ts";
import {
  BASELINE,
  type ChartFigures,
  firstKnown,
  MARGIN,
  MAX_POINTS,
  sumsUpTo,
  TOP,
} from "./draw_chart.ts";
import { drawCurve, drawDashes, type Point } from "./curve.ts";
import { descriptionOfSeveral, fullSteps, stepsOf } from "./dates.ts";
import { frame, inksOf } from "./frame.ts";
import type { ChartLook, ShownLook } from "./look.ts";
import { drawType, type Setting, setType, setWithin } from "./type.ts";

/** The figures of one of several counters. */
export interface NamedFigures extends ChartFigures {
  readonly id: string;
}

/**
 * The colors of the lines, in order. Each has a contrast of 3:1 or more to white and to GitHub's
 * dark. To color-blind readers they are further apart than the colors of Okabe and Ito (2008).
 */
export const LINE_COLORS = [
  ...["#17957f", "#d67c1b", "#4a5cb9"],
  ...["#a94400", "#a282e2", "#7e567d"],
] as const;

/**
 * Draws the totals of several counters as they grew, or their hits, as an SVG document. The end of
 * each line has a label.
 */
export function drawLines(counters: readonly NamedFigures[], given: ChartLook): string {
  const newest = Math.max(...counters.map(({ days }) => days.newest));
  const first = Math.min(...counters.map(({ days }) => firstKnown(days)));
  const range = given.range ?? rangeSince(first, newest);
  const look = { ...given, range: given.kind === "area" ? inWeeks(range) : range };
  const names = shortNames(counters.map(({ id }) => id)).map((name) => textFor(look.format, name));
  const series = counters.map((counter, index) =>
    seriesOf(counter, { newest, look, name: names[index] ?? "" })
  );
  const inks = inksOf(look, look);
  const labels = setLabels(series, look);
  const [right, bottom] = [look.width - MARGIN, look.height - MARGIN];
  const labelX = right - labels.width;
  const bars = series[0]?.bars ?? [];
  const { plot, ceiling, grid, words } = drawAxis(bars.slice(0, series[0]?.values.length), {
    most: Math.max(...series.flatMap(({ values }) => values)),
    look,
    area: { left: MARGIN, right: labelX - LEADER, top: TOP, bottom },
  });
  const points = series.map((line) => pointsOf(line, { plot, ceiling }));
  const ends = points.map((line) => line.at(-1) ?? { x: plot.right, y: plot.bottom });
  const middles = placeLabels(ends.map(({ y }) => y), { top: TOP - 8, bottom: bottom - 4 });
  const lines = points.map((line, index) => {
    const [end, color, y] = [ends[index], LINE_COLORS[index], middles[index]];
    if (end === undefined || color === undefined || y === undefined) return "";
    const isOpen = look.kind === "total";
    const dot = isOpen ? `stroke-width="2"` : `fill="${color}"`;
    return `<g fill="none" stroke="${color}">${drawLine(line, isOpen)}` +
      `<circle cx="${tenth(end.x)}" cy="${tenth(end.y)}" r="${DOT}" ${dot}/></g>` +
      `<circle cx="${tenth(labelX - 2 * DOT - 1)}" cy="${y}" r="${DOT}" fill="${color}"/>`;
  });
  const texts = labels.rows.map(({ name, number }, index) => {
    const y = (middles[index] ?? 0) + 4;
    return drawType(name, { x: labelX, y, at: "left" }) +
      drawType(number, { x: right, y, at: "right", ink: inks.strong });
  });
  const [heading, steps] = setHeading(bars, look, right - MARGIN);
  return frame(look, {
    title: `${look.label === "" ? "" : `${look.label}: `}${spokenSeries(series, look)}`,
    description: descriptionOfSeveral(bars, look),
    inks,
    ground: `<path d="${grid}"${inks.lines} stroke-opacity=".4" stroke-dasharray="2 3"/>` +
      lines.join(""),
    words: `<g font-size="13">${drawType(heading, { x: MARGIN, y: BASELINE, at: "left" })}</g>` +
      `<g font-size="${SMALL.size}">${drawType(steps, { x: right, y: BASELINE, at: "right" })}` +
      `${words}${texts.join("")}</g>`,
  });
}

/** Returns the weeks of a range whose days are too close together for lines. */
function inWeeks(range: Range): Range {
  const isLong = range.unit === "day" && range.count > MAX_POINTS;
  return isLong ? { count: Math.floor(range.count / 7), unit: "week" } : range;
}

/** Sets the label, and what a point of a line is, as far as both fit. */
function setHeading(bars: readonly Bar[], look: ShownLook, room: number) {
  const { range, kind, locale } = look;
  const words = kind === "total" ? stepsOf(range, locale) : fullSteps(bars, range, locale);
  const steps = setWithin(words, SMALL, room);
  const left = room - (steps === undefined ? 0 : steps.width + BESIDE);
  return [setWithin(look.label, { size: 13, bold: false }, left), steps];
}

/** Draws a line through points. If the last step is open, the line is dashed there. */
function drawLine(points: readonly Point[], isOpen: boolean): string {
  const full = isOpen ? points.slice(0, -1) : points;
  if (full.length === 0) return "";
  const step = points.slice(full.length - 1).map(({ x, y }) => `${tenth(x)} ${tenth(y)}`);
  return drawCurve(full) + (isOpen ? drawDashes(`M${step.join("L")}`) : "");
}

/** A counter as it is drawn. */
type Series = ReturnType<typeof seriesOf>;

function seriesOf(
  { total, days }: NamedFigures,
  { newest, look, name }: { newest: Day; look: ShownLook; name: string },
) {
  // The newest day of a counter is later than that of another if the clock of a process is ahead.
  const ahead = Array<number>(newest - days.newest).fill(0);
  const bars = barsOf({ newest, hits: [...ahead, ...days.hits] }, look.range);
  return {
    name,
    bars,
    /** The value of each bar, without the open one if it can only be a fall. */
    values: look.kind === "total"
      ? sumsUpTo(total, bars)
      : bars.slice(0, -1).map(({ hits }) => hits),
    /** The index of the first bar with a known day, where the line begins. */
    start: Math.max(0, bars.findLastIndex((bar) => bar.first <= firstKnown(days))),
  };
}

/** Returns ids without the parts between slashes with which all of them begin or end. */
export function shortNames(ids: readonly string[]): readonly string[] {
  const paths = ids.map((id) => id.split("/"));
  const least = Math.min(...paths.map(({ length }) => length)) - 1;
  const isShared = (index: number) => paths.every((path) => path.at(index) === paths[0]?.at(index));
  let start = 0;
  while (start < least && isShared(start)) start++;
  let end = 0;
  while (start + end < least && isShared(-1 - end)) end++;
  const names = paths.map((path) => path.slice(start, path.length - end).join("/"));
  return names.includes("") ? ids : names;
}

/** Names each counter with its last number and growth, in English. */
function spokenSeries(series: readonly Series[], { kind, numbers }: ShownLook): string {
  const form = { numbers, locale: "en" };
  return series.map(({ name, bars, values }) => {
    const sum = formatCount(bars.reduce((sum, { hits }) => sum + hits, 0), form);
    const last = formatCount(values.at(-1) ?? 0, form);
    return `${name} ${last}, ${kind === "total" ? `up ${sum}` : `${sum} in all`}`;
  }).join("; ");
}

/** Maximum width of the labels, as a share of the picture. */
const LABEL_SHARE = 0.38;
/** Distance between the plot and the labels, in pixels. */
const LEADER = 18;
/** Distance between the baselines of two labels, in pixels. */
const LEADING = 13;
/** Distance between a name and its number, in pixels. */
const GAP = 8;
const DOT = 3;

function pointsOf(
  { values, start }: Series,
  { plot, ceiling }: { plot: Area; ceiling: number },
): Point[] {
  const step = (plot.right - plot.left) / values.length;
  return values.slice(start).map((value, index) => ({
    x: plot.left + (start + index + 0.5) * step,
    y: plot.bottom - (plot.bottom - plot.top) * value / ceiling,
  }));
}

/** Sets the names and numbers of all lines in two columns. Cuts names, and long numbers before. */
function setLabels(series: readonly Series[], look: ShownLook) {
  const room = LABEL_SHARE * look.width;
  const setNumbers = (numbers: ChartLook["numbers"]) =>
    series.map(({ values }) =>
      setType(formatCount(values.at(-1) ?? 0, { ...look, numbers }), { ...SMALL, bold: true })
    );
  const full = setNumbers(look.numbers);
  const numbers = widest(full) <= room / 2 ? full : setNumbers("compact");
  const left = room - widest(numbers) - GAP;
  const names = setNames(series.map(({ name }) => name), left);
  const width = Math.ceil(widest(names) + GAP + widest(numbers));
  return { rows: numbers.map((number, index) => ({ name: names[index], number })), width };
}

/** Sets names that differ, also where they are cut: in the middle, else without their start. */
function setNames(names: readonly string[], room: number): (Setting | undefined)[] {
  const settings = names.map((name) => setWithin(name, SMALL, room, "middle"));
  if (new Set(settings.map((setting) => setting?.line.drawn)).size === names.length) {
    return settings;
  }
  const letters = names.map((name) => [...name]);
  const isShared = (at: number) => letters.every((others) => others[at] === letters[0]?.[at]);
  let shared = 0;
  while (letters.some(({ length }) => shared < length) && isShared(shared)) shared++;
  return letters.map((letters) => setWithin(`…${letters.slice(shared).join("")}`, SMALL, room));
}

function widest(settings: readonly (Setting | undefined)[]): number {
  return Math.max(...settings.map((setting) => setting?.width ?? 0));
}

/**
 * Returns the middles of labels for lines that end at these heights. Labels that would overlap form
 * a block around the middle of their lines, in the order of the lines.
 */
function placeLabels(
  ends: readonly number[],
  { top, bottom }: { top: number; bottom: number },
): number[] {
  const order = ends.map((y, index) => ({ y, index })).sort((one, other) => one.y - other.y);
  const blocks: (typeof order)[] = [];
  const topOf = (block: typeof order) => {
    const height = LEADING * (block.length - 1);
    const middle = block.reduce((sum, { y }) => sum + y, 0) / block.length;
    return Math.max(top, Math.min(bottom - height, Math.round(middle - height / 2)));
  };
  for (const label of order) {
    let block = [label];
    for (let above = blocks.at(-1); above !== undefined; above = blocks.at(-1)) {
      if (topOf(above) + LEADING * above.length <= topOf(block)) break;
      block = [...above, ...block];
      blocks.pop();
    }
    blocks.push(block);
  }
  const placed = blocks.flatMap((block) =>
    block.map(({ index }, place) => ({ index, y: topOf(block) + LEADING * place }))
  );
  return placed.sort((one, other) => one.index - other.index).map(({ y }) => y);
}
