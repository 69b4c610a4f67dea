import { BoundedMap } from "../bounded_map.ts";
import { shareOf, withGoal } from "./goal.ts";
import { type Look, parseLook, parseStyle, wholeWithin } from "./look.ts";
import { type Counts, formatCounts } from "./number.ts";
import { BADGE_PARAMETERS, type LookQuery, spark } from "./parameters.ts";
import type { Bars } from "./styles/style.ts";
import { cleanText, escape, setLine, textHash } from "./text.ts";

/** Draws a badge as an SVG document; bars only in a style that has room for them. */
export function renderBadge(
  look: Look,
  message: string,
  { bars = NO_BARS, share = 0 }: { readonly bars?: Bars; readonly share?: number } = {},
): string {
  const { messageFace, capitals } = look.style;
  const line = setLine(cleanText(message), messageFace, capitals);
  return look.draw({ message: line, bars, share });
}

/** Draws an error: the same look, its value in red. */
export function renderError(look: Look, message: string): string {
  const { style, palette, line } = look;
  const failed = { failed: true, color: undefined, valueColor: undefined, hasGoal: false };
  return renderBadge({ ...look, draw: style.painter({ ...palette, ...failed }, line) }, message);
}

const NO_BARS: Bars = { width: 0, tag: "", draw: () => "", trend: undefined };

/** A badge, and a tag that is the same for the same bytes, in characters of a URL. */
export interface Badge {
  readonly svg: string;
  readonly tag: string;
}

/** The figures of a badge: counts, perhaps with bars before them. */
export type BadgeFigures = Counts | { readonly counts: Counts; readonly bars: Bars };

export interface DrawingQuery extends LookQuery {
  readonly forEach: (visit: (value: string, name: string) => void) => void;
}

const PARAMETER_NAMES: ReadonlySet<string> = new Set(BADGE_PARAMETERS.map(({ name }) => name));
const CACHE_SIZE = 1000;
/** Half of a surrogate pair, which no strictly decoded value contains. */
const SEPARATOR = "\ud800";
/** Characters; longer keys are rare, and would let anyone fill the memory. */
const MAX_KEY_LENGTH = 300;

/**
 * Returns a function that draws figures in the look that a query asks for. Caches looks, each with
 * its last drawing and what `frame` makes of it, because badges are read more often than their
 * numbers change.
 */
export function createDrawings<Framed>(
  frame: (badge: Badge) => Framed,
): (query: DrawingQuery, figures: BadgeFigures) => Framed {
  const known = new BoundedMap<string, (figures: BadgeFigures) => Framed>(CACHE_SIZE);
  return (query, figures) => {
    const key = keyOf(query);
    const found = known.get(key);
    if (found !== undefined) return found(figures);
    const draw = createDrawing(query, frame);
    if (key.length <= MAX_KEY_LENGTH) known.set(key, draw);
    return draw(figures);
  };
}

/**
 * Returns the number of days to show as bars. Returns 0 for none, or if the style has no room for
 * bars.
 */
export function sparkOf(query: LookQuery<"spark" | "style">): number {
  const text = query.get("spark");
  // Hot path: most badges have none.
  if (text === undefined) return 0;
  const days = wholeWithin(text, spark.schema);
  return days === undefined || !parseStyle(query).bars ? 0 : days;
}

/** A problem in the few words that fit on a badge, and in a sentence. */
export interface ProblemText {
  readonly badge: string;
  readonly detail: string;
}

/** Draws an error in the default look: the query may be what is wrong. */
export function errorBadge({ badge, detail }: ProblemText): string {
  const svg = renderError(parseLook(new Map()), badge);
  return svg.replace("</title>", (end) => `${end}<desc>${escape(detail)}</desc>`);
}

function keyOf(query: DrawingQuery): string {
  let key = "";
  query.forEach((value, name) => {
    if (PARAMETER_NAMES.has(name)) key += name + SEPARATOR + value + SEPARATOR;
  });
  return key;
}

function createDrawing<Framed>(
  query: DrawingQuery,
  frame: (badge: Badge) => Framed,
): (figures: BadgeFigures) => Framed {
  const whole = parseLook(query);
  // Several counts have no goal.
  const withoutGoal = whole.goal === undefined
    ? whole
    : parseLook({ get: (name) => name === "goal" ? undefined : query.get(name) });
  // A look is known by the bytes of a badge without a message, except in digit styles, which draw
  // words differently, and with a goal, whose share is not in a compact number.
  const hash = whole.style.plainDigits || whole.goal !== undefined
    ? undefined
    : textHash(renderBadge(whole, ""));
  const draw = (figures: BadgeFigures) => {
    const { counts, bars } = typeof figures === "object" && "bars" in figures
      ? figures
      : { counts: figures, bars: NO_BARS };
    const look = typeof counts === "number" ? whole : withoutGoal;
    const drawn = withBase(counts, look);
    const message = formatCounts(withGoal(drawn, look.goal), look);
    const svg = renderBadge(look, message, { bars, share: shareOf(drawn, look.goal) });
    const tag = hash === undefined
      ? textHash(svg)
      : `${hash}-${encodeURIComponent(message)}${bars.tag}`;
    return { figures, framed: frame({ svg, tag }) };
  };
  let last: ReturnType<typeof draw> | undefined;
  return (figures) => {
    if (last?.figures !== figures) last = draw(figures);
    return last.framed;
  };
}

/** Adds to the total, the last of the counts. */
function withBase(counts: Counts, { base }: Look): Counts {
  if (base === 0) return counts;
  const sum = (total: number) => Math.min(Number.MAX_SAFE_INTEGER, total + base);
  if (typeof counts === "number") return sum(counts);
  return counts.map((count, index) => index === counts.length - 1 ? sum(count) : count);
}
