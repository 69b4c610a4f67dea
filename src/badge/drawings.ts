import { BoundedMap } from "../bounded_map.ts";
import type { Days } from "../domain/history.ts";
import { TREND_DAYS } from "../domain/trend.ts";
import type { Query } from "../http/query.ts";
import type { ProblemText } from "../problem.ts";
import {
  type Counts,
  formatCounts,
  type NumberForm,
  parseNumberForm,
  shareOf,
  withGoal,
} from "../drawing/number.ts";
import { parseLabel, wholeWithin } from "../drawing/parameters.ts";
import { cleanText, escape, type ImageFormat, setLine } from "../drawing/text.ts";
import { badgeBars, type Bars, NO_BARS } from "./bars.ts";
import { type Palette, parsePalette } from "./palette.ts";
import { BADGE_PARAMETERS, type LookName, type LookQuery } from "./parameters.ts";
import { BADGE_PARAMETER_LIST, parseStyle } from "./styles.ts";

/** Everything about a badge but its message: parsed, safe and ready to draw with. */
export type Look = ReturnType<typeof parseLook>;

/** Parses a look. Invalid values fall back to the default. */
export function parseLook(query: LookQuery, format?: ImageFormat) {
  const style = parseStyle(query);
  const palette = parsePalette(query, style.font);
  const line = setLine(parseLabel(query, format), style.labelFace, style.capitals);
  const { schema } = BADGE_PARAMETERS.base;
  return Object.freeze({
    ...(style.ignores.includes("numbers") ? PLAIN : parseNumberForm(query, format)),
    /** Added to the total as it is drawn. */
    base: wholeWithin(query.get("base"), schema) ?? schema.default,
    style,
    palette,
    /** The label in the style's face. */
    line,
    /** The style in this palette. */
    draw: style.layout(palette, line),
  });
}

const PLAIN: NumberForm = { numbers: "plain", locale: "en" };

/** Draws a badge as an SVG document that a screen reader reads as "label: message". */
export function drawBadge(
  { style, line: label, draw }: Look,
  message: string,
  { bars = NO_BARS, share = 0 }: { readonly bars?: Bars; readonly share?: number } = {},
): string {
  const line = setLine(cleanText(message), style.messageFace, style.capitals);
  const { width, height, css = "", shapes, spoken = "" } = draw({ message: line, bars, share });
  const text = (label.spoken === "" ? "" : `${label.spoken}: `) + line.spoken + spoken;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${text}">` +
    `<title>${text}</title>${css}${shapes}</svg>`;
}

/** Draws an error: the same look, its value in red. */
export function drawError(look: Look, message: string): string {
  const failed = { failed: true, color: undefined, valueColor: undefined, goal: undefined };
  return drawBadge(recolor(look, failed), message);
}

function recolor(look: Look, changes: Partial<Palette>): Look {
  const palette = { ...look.palette, ...changes };
  return { ...look, palette, draw: look.style.layout(palette, look.line) };
}

const PARAMETER_NAMES: ReadonlySet<string> = new Set(BADGE_PARAMETER_LIST.map(({ name }) => name));
const CACHE_SIZE = 1000;
/** Half of a surrogate pair, which no strictly decoded value contains. */
const SEPARATOR = "\ud800";
/** Maximum length of a cached key. Longer ones would let anyone fill the memory. */
const MAX_KEY_LENGTH = 300;

/** A query with every parameter of a badge, which together are the key of its drawing. */
type DrawingQuery = Pick<Query<LookName>, "get" | "forEach">;

/**
 * Returns a function that draws counts in the look that a query asks for. Caches looks, each with
 * its last drawing and what `finish` makes of it, because badges are read more often than their
 * numbers change.
 */
export function createDrawings<Finished>(
  finish: (svg: string) => Finished,
  format?: ImageFormat,
): (query: DrawingQuery, counts: Counts, days?: Days) => Finished {
  const known = new BoundedMap<string, ReturnType<typeof createDrawing<Finished>>>(CACHE_SIZE);
  return (query, counts, days) => {
    const key = keyOf(query);
    const found = known.get(key);
    if (found !== undefined) return found(counts, days);
    const draw = createDrawing(parseLook(query, format), sparkOf(query), finish);
    if (key.length <= MAX_KEY_LENGTH) known.set(key, draw);
    return draw(counts, days);
  };
}

/** Returns the number of days to show as bars. Returns 0 for none. */
export function sparkOf(query: LookQuery<"spark">): number {
  return wholeWithin(query.get("spark"), BADGE_PARAMETERS.spark.schema) ?? 0;
}

/** Returns the number of days to read for the bars of a badge. Returns 0 if it draws none. */
export function sparkDays(query: LookQuery<"spark">): number {
  const days = sparkOf(query);
  return days === 0 ? 0 : Math.max(days, TREND_DAYS);
}

/** Draws an error in the default look: the query may be what is wrong. */
export function errorBadge({ badge, detail }: ProblemText): string {
  const svg = drawError(parseLook(new Map()), badge);
  return svg.replace("</title>", (end) => `${end}<desc>${escape(detail)}</desc>`);
}

function keyOf(query: DrawingQuery): string {
  let key = "";
  query.forEach((value, name) => {
    if (PARAMETER_NAMES.has(name)) key += name + SEPARATOR + value + SEPARATOR;
  });
  return key;
}

/** Returns a function that draws counts, and bars of these days if the look has bars. */
function createDrawing<Finished>(look: Look, spark: number, finish: (svg: string) => Finished) {
  // Several counts have no goal.
  const severalLook = recolor(look, { goal: undefined });
  const draw = (counts: Counts, days: Days | undefined) => {
    const bars = days === undefined ? NO_BARS : badgeBars(days, spark);
    const shown = typeof counts === "number" ? look : severalLook;
    const sums = withBase(counts, look.base);
    const { goal } = shown.palette;
    const message = formatCounts(withGoal(sums, goal), look);
    return finish(drawBadge(shown, message, { bars, share: shareOf(sums, goal) }));
  };
  let last: { counts: Counts; days: Days | undefined; finished: Finished } | undefined;
  return (counts: Counts, known?: Days): Finished => {
    const days = spark === 0 ? undefined : known;
    if (last?.counts !== counts || last.days !== days) {
      last = { counts, days, finished: draw(counts, days) };
    }
    return last.finished;
  };
}

/** Adds to the total, the last of the counts. */
function withBase(counts: Counts, base: number): Counts {
  const sum = (total = 0) => Math.min(Number.MAX_SAFE_INTEGER, total + base);
  return typeof counts === "number" ? sum(counts) : counts.with(-1, sum(counts.at(-1)));
}
