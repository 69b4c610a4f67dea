import { formatCount } from "../drawing/number.ts";
import { type Ink, partId } from "../drawing/inks.ts";
import type { Day } from "../domain/history.ts";
import type { ChartFigures } from "./draw_chart.ts";
import { DAY_MS, weekdayIndex } from "./bars.ts";
import { DATE, dateText, ENGLISH, MONTH_NAME, spanOf } from "./dates.ts";
import { frame, inksOf, type PictureInks } from "./frame.ts";
import type { PictureLook } from "./look.ts";
import { drawHeading, drawType, setType } from "./type.ts";

/** The size of a calendar in pixels. */
export const CALENDAR = { width: 747, height: 189 };

const WEEKS = 53;
/** From one cell to the next. */
const PITCH = 13;
/** The corner of the grid. */
const LEFT = 44;
const TOP = 58;
/** The row of the legend, and where its words end at the latest. */
const LEGEND_ROW = 8;
const LEGEND_END = CALENDAR.width - 8;
/** Between a word of the legend and its cells. */
const BESIDE = 5;
/** Shares of the days with hits that are below the second, the third and the darkest shade. */
const SHARES = [0.25, 0.55, 0.85];
const SPAN = { count: WEEKS, unit: "week" } as const;
const SMALL = { size: 10, bold: false };

/** Returns the first day of a calendar that ends today: a Monday. */
export function calendarSince(today: Day): Day {
  return today - weekdayIndex(today) - 7 * (WEEKS - 1);
}

/** Draws the last 53 weeks as a grid of days, the darker the more hits, as an SVG document. */
export function drawCalendar({ total, days }: ChartFigures, look: PictureLook): string {
  const { newest } = days;
  const since = calendarSince(newest);
  const count = newest - since + 1;
  // From Monday to Sunday, week by week.
  const hits = Array.from({ length: count }, (_, index) => days.hits[count - 1 - index] ?? 0);
  const sum = hits.reduce((sum, day) => sum + day, 0);
  const most = Math.max(...hits);
  const best = since + hits.indexOf(most);
  const inks = inksOf(look, CALENDAR);
  const shades = shadesOf(look, inks);
  const legend = setLegend(most, look);
  const within = days.hits.length === 0 ? undefined : sum;
  const english = { ...look, locale: "en" };
  const described = most === 0
    ? "No hits in 53 weeks."
    : `${formatCount(sum, english)} hits in 53 weeks. ` +
      `The most were ${formatCount(most, english)}, on ${dateText(best, "en", DATE)}.`;
  const heading = {
    total,
    within,
    span: spanOf(SPAN, look.locale),
    left: 16,
    right: CALENDAR.width - 14,
    baseline: 27,
    strong: inks.strong,
  };
  return frame(CALENDAR, {
    title: `${look.label === "" ? "" : `${look.label}: `}${formatCount(total, look)}`,
    description: described,
    inks,
    words: drawHeading(heading, look) +
      `<g font-size="10">${drawWords({ days: [since, newest, best], most, legend }, look)}</g>`,
    above: shades.fills.map((fill, level) => drawPattern(shades.ids[level] ?? "", fill)).join("") +
      `<g transform="translate(${LEFT} ${TOP}) scale(${PITCH}) translate(0 .5)" fill="none">${
        drawCells(hits, { ids: shades.ids, column: legend.column })
      }</g>`,
  });
}

/**
 * Sets the words around the shades of the legend. In languages other than English these are
 * figures, as the runtime has no such words.
 */
function setLegend(most: number, look: PictureLook) {
  const isEnglish = ENGLISH.test(look.locale);
  const figure = (hits: number) => formatCount(hits, { ...look, numbers: "compact" });
  const last = isEnglish ? "More" : most === 0 ? undefined : figure(most);
  const setting = last === undefined ? undefined : setType(last, SMALL);
  const end = LEGEND_END - (setting?.width ?? 0) - BESIDE;
  return {
    least: setType(isEnglish ? "Less" : figure(0), SMALL),
    most: setting,
    /** The column of the first shade. */
    column: Math.floor((end - LEFT) / PITCH) - SHARES.length - 2,
  };
}

/** Between a weekday and the grid, and at least that between it and the edge. */
const WEEKDAY_MARGIN = 6;

/** Draws months above the grid, weekdays to its left, the best day and the legend below. */
function drawWords(
  { days: [since, newest, best], most, legend }: {
    days: readonly [since: Day, newest: Day, best: Day];
    most: number;
    legend: ReturnType<typeof setLegend>;
  },
  look: PictureLook,
): string {
  const { locale } = look;
  const months: string[] = [];
  let free = LEFT;
  for (let week = 0; week < WEEKS; week++) {
    const first = firstOfMonth(since + 7 * week);
    const x = LEFT + 1 + week * PITCH;
    if (first === undefined || first > newest || x < free) continue;
    const name = setType(dateText(first, locale, MONTH_NAME), SMALL);
    if (x + name.width > LEFT + WEEKS * PITCH) continue;
    months.push(drawType(name, { x, y: 52, at: "left" }));
    free = x + name.width + 6;
  }
  const weekdays = [0, 2, 4].map((row) => {
    const set = (weekday: "short" | "narrow") =>
      setType(dateText(since + row, locale, { weekday }), SMALL);
    const name = set("short").width <= LEFT - 2 * WEEKDAY_MARGIN ? set("short") : set("narrow");
    return drawType(name, { x: LEFT - WEEKDAY_MARGIN, y: TOP + 10 + row * PITCH, at: "right" });
  });
  const foot = TOP + LEGEND_ROW * PITCH + 10;
  const bestText = (ENGLISH.test(locale) ? "Best day " : "") +
    `${dateText(best, locale, DATE)}: ${formatCount(most, look)}`;
  const start = LEFT + legend.column * PITCH;
  const end = start + (SHARES.length + 2) * PITCH;
  return months.join("") + weekdays.join("") +
    drawType(legend.least, { x: start - BESIDE, y: foot, at: "right" }) +
    drawType(legend.most, { x: end + BESIDE, y: foot, at: "left" }) +
    (most === 0 ? "" : drawType(setType(bestText, SMALL), { x: LEFT + 1, y: foot, at: "left" }));
}

/** Returns the day of this week on which a month begins. */
function firstOfMonth(monday: Day): Day | undefined {
  const sunday = new Date((monday + 6) * DAY_MS).getUTCDate();
  return sunday <= 7 ? monday + 7 - sunday : undefined;
}

/**
 * Draws runs of equal cells as one stroke, whose pattern is a cell. Each shade covers the
 * lighter ones, so that a run ends only at a lighter cell.
 */
function drawCells(
  hits: readonly number[],
  { ids, column }: { ids: readonly string[]; column: number },
): string {
  const levels = levelsOf(hits);
  return ids.map((id, level) => {
    const runs = Array.from({ length: 7 }, (_, row) => runsIn(levels, { row, level })).join("");
    const legend = `M${column + level} ${LEGEND_ROW}h1`;
    return `<path stroke="url(#${id})" d="${runs}${legend}"/>`;
  }).join("");
}

/** Draws a cell as the pattern of a shade. */
function drawPattern(id: string, fill: string): string {
  return `<pattern id="${id}" y=".5" width="1" height="1" patternUnits="userSpaceOnUse" ` +
    `viewBox="0 0 13 13"><rect x="1" y="1" width="11" height="11" rx="2.5"${fill}/></pattern>`;
}

/** Returns the runs of a weekday's cells that are at least this dark. */
function runsIn(levels: readonly number[], { row, level }: { row: number; level: number }): string {
  let path = "";
  let end: number | undefined;
  for (let week = 0; week < WEEKS; week++) {
    if ((levels[7 * week + row] ?? -1) < level) continue;
    let length = 1;
    while ((levels[7 * (week + length) + row] ?? -1) >= level) length++;
    path += (end === undefined ? `M${week} ${row}` : `m${week - end} 0`) + `h${length}`;
    end = week + length;
    week = end;
  }
  return path;
}

/**
 * Returns the shade of each day by its rank among the days with hits, so that one day with many
 * leaves the rest of the year readable.
 */
function levelsOf(hits: readonly number[]): number[] {
  const sorted = hits.filter((day) => day > 0).sort((a, b) => a - b);
  const bounds = SHARES.map((share) => sorted[Math.floor(share * sorted.length)] ?? Infinity);
  return hits.map((day) => day === 0 ? 0 : 1 + bounds.filter((bound) => day > bound).length);
}

/** Returns the ids of the five shades and their fills, from the lightest, for no hits. */
function shadesOf({ theme, color }: PictureLook, { accent }: PictureInks) {
  if (color === undefined && theme !== "none") {
    return { fills: SHADES.map((shade) => accent("fill", shade)), ids: idsOf(theme) };
  }
  const ink = color ?? ANY;
  const fills = OPACITIES.map((opacity) => ` fill="${ink}" fill-opacity="${opacity}"`);
  return { fills: [` fill="${NOTHING}" fill-opacity=".18"`, ...fills], ids: idsOf(ink) };
}

function idsOf(colors: string): string[] {
  return SHADES.map((_, level) => partId(`${level}`, colors));
}

const SHADES: readonly Ink[] = [
  ["#edf0ec", "#1c2421"],
  ["#a5dacd", "#123f36"],
  ["#5fbfa8", "#1a6b5a"],
  ["#1b9480", "#28a489"],
  ["#0a5c4d", "#72e6c8"],
];
/** Can be seen on a light page and on a dark one. */
const ANY = "#1b9480";
const NOTHING = "#6e7781";
const OPACITIES = [".3", ".5", ".75", "1"];
