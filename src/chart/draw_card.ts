import {
  type Counts,
  formatCount,
  formatCounts,
  shareOf,
  weekTrend,
  withGoal,
} from "../drawing/number.ts";
import { UP } from "../drawing/inks.ts";
import { cleanText, tenth, textFor } from "../drawing/text.ts";
import { trendOf } from "../domain/trend.ts";
import { drawHill } from "./curve.ts";
import { ENGLISH, spanOf, todayIn } from "./dates.ts";
import { COLORS, frame, inksOf, type PictureInks } from "./frame.ts";
import type { NamedFigures } from "./draw_lines.ts";
import type { PictureLook } from "./look.ts";
import { drawType, type Setting, setType, setWithin } from "./type.ts";

/** The size of a card in pixels. */
export const CARD = { width: 400, height: 150, radius: 10, hasBars: false };
/** The size of a preview, which links show three times as large. */
export const PREVIEW = { width: 400, height: 210, radius: 0, hasBars: true };
/** Number of full days that its line shows. */
const SHOWN_DAYS = 30;
/** Number of days to read for a card: with today, which is a number. */
export const CARD_DAYS = SHOWN_DAYS + 1;

const LEFT = 20;
const RIGHT = CARD.width - 20;
/** The line runs from this height down to that above the lower edge. */
const PEAK = 98;
const GROUND = 12;
/** The thickness of the bar of a goal, its middle, and the room that it takes from the line. */
const SHARE_WIDTH = 6;
const SHARE_Y = 99;
const SHARE_ROOM = 13;
const WEEK = { count: 7, unit: "day" } as const;
/** The width of the mark and the space behind it. */
const MARK = 22;
/** Maximum width of count and label. */
const MAX_WIDTH = 230;
const LARGEST = { size: 30, bold: true };
const LARGE = { size: 22, bold: true };
const COMPACT = { size: 20, bold: true };
const SMALL = { size: 11, bold: false };
const NO_HISTORY = "Daily history begins with the next view.";

/**
 * Draws the name, count, today's hits, trend of seven days and line of thirty full days of a
 * counter.
 */
export function drawCard(
  { id, total, days, goal }: NamedFigures & { readonly goal?: number | undefined },
  look: PictureLook,
  size = CARD,
): string {
  const inks = inksOf(look, size);
  const name = cleanText(id);
  const counts = withGoal(total, goal);
  const count = formatCounts(counts, look);
  const today = formatCount(days.hits[0] ?? 0, look);
  const { percent } = trendOf(days.hits);
  const trend = percent === undefined ? undefined : weekTrend(percent, look.locale);
  // The label takes the place of a name that cannot be drawn.
  const shownName = textFor(look.format, id);
  const [first, second] = shownName === "" ? [look.label, ""] : [shownName, look.label];
  const nameSet = setWithin(first, { size: 13, bold: true }, RIGHT - LEFT - MARK);
  const label = setWithin(second, SMALL, MAX_WIDTH);
  const { strong } = inks;
  const set = setCount(count, counts, look);
  const share = goal === undefined ? "" : drawShare(shareOf(total, goal), inks);
  const peak = goal === undefined ? PEAK : PEAK + SHARE_ROOM;
  const mark = inks.accent("stroke", COLORS.strong) || inks.lines;
  return frame(size, {
    title: `${name}: ${count}${look.label === "" ? "" : ` ${look.label}`}`,
    description: `${today} today${trend?.spoken ?? ""}`,
    inks,
    ground: share + drawDays(days.hits, { inks, size, peak }) +
      `<g fill="none" stroke-width="1.8" stroke-linecap="round">` +
      `<path${mark} d="M21 17v9m3-9v9m3-9v9m3-9v9"/>` +
      `<path${inks.bars} d="M19 24.5l13-6"/></g>`,
    words: sized(13, drawType(nameSet, { x: LEFT + MARK, y: 27, at: "left", ink: strong })) +
      sized(set.type.size, drawType(set, { x: LEFT, y: 68, at: "left", ink: strong })) +
      `<g font-size="11">` +
      // Without known days, the reader returns today with 0 hits.
      (days.hits.length > 1 || (days.hits[0] ?? 0) > 0 || !ENGLISH.test(look.locale)
        ? ""
        : drawType(setType(NO_HISTORY, SMALL), { x: LEFT, y: 124, at: "left" })) +
      drawType(label, { x: LEFT, y: 87, at: "left" }) +
      drawAside([today, 14, strong], { words: todayIn(look.locale), y: 56 }) +
      (trend === undefined ? "" : drawAside(
        [trend.drawn, 11, trend.isUp ? inks.accent("fill", UP) : ""],
        { words: spanOf(WEEK, look.locale), y: 74 },
      )) +
      `</g>`,
  });
}

/** Sets the count as large as the figures on the right allow. Compact numbers fit. */
function setCount(text: string, counts: Counts, look: PictureLook): Setting {
  const fitting = [LARGEST, LARGE].map((type) => setType(text, type))
    .find(({ width }) => width <= MAX_WIDTH);
  return fitting ?? setType(formatCounts(counts, { ...look, numbers: "compact" }), COMPACT);
}

/** Draws a bar from edge to edge, below the words, that is filled to the share of the goal. */
function drawShare(share: number, { bars, lines }: PictureInks): string {
  const [left, width] = [LEFT + SHARE_WIDTH / 2, RIGHT - LEFT - SHARE_WIDTH];
  const line = (length: number, ink: string) =>
    `<path d="M${left} ${SHARE_Y}h${tenth(length)}"${ink}/>`;
  return `<g stroke-width="${SHARE_WIDTH}" stroke-linecap="round">` +
    `${line(width, `${lines} stroke-opacity=".3"`)}${
      share === 0 ? "" : line(share * width, bars)
    }</g>`;
}

function sized(size: number, drawn: string): string {
  return drawn === "" ? "" : `<g font-size="${size}">${drawn}</g>`;
}

/** Draws a figure at the right edge, with its name before it in quieter ink. */
function drawAside(
  [figure, size, ink]: readonly [figure: string, size: number, ink: string],
  { words, y }: { words: string; y: number },
): string {
  const set = setType(figure, { size, bold: true });
  const quiet = setType(words, SMALL);
  return sized(size, drawType(set, { x: RIGHT, y, at: "right", ink })) +
    drawType(quiet, { x: RIGHT - set.width - 6, y, at: "right" });
}

/**
 * Draws the full days before today, as bars or as a line from edge to edge. The day with the most
 * hits is as high as `peak`.
 */
function drawDays(
  hits: readonly number[],
  { inks, peak, size }: { inks: PictureInks; peak: number; size: typeof CARD },
): string {
  const { width, height, radius, hasBars } = size;
  const days = Array.from({ length: SHOWN_DAYS }, (_, index) => hits[SHOWN_DAYS - index] ?? 0);
  const most = Math.max(...days);
  if (most === 0) return "";
  const bottom = height - (hasBars ? LEFT : GROUND);
  const tops = days.map((number) => (bottom - peak) * number / most);
  if (hasBars) {
    // The place of each stroke is one unit wide.
    const strokes = tops.map((top, index) =>
      top === 0 ? "" : `M${index} 0v${Math.max(1, Math.round(top))}`
    );
    const step = tenth((width - 2 * LEFT) / SHOWN_DAYS);
    return `<path${inks.bars} transform="matrix(${step} 0 0 -1 ${LEFT + step / 2} ${bottom})" ` +
      `stroke-width=".7" d="${strokes.join("")}"/>`;
  }
  const step = (width - 2) / (SHOWN_DAYS - 1);
  const points = tops.map((top, index) => ({ x: 1 + index * step, y: bottom - top }));
  const cut = { left: 1, top: 1, right: width - 1, bottom: height - 1, radius: radius - 1 };
  return drawHill(points, cut, inks);
}
