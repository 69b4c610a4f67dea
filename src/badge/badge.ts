import { Recent } from "../recent.ts";
import { type Look, parseLook } from "./look.ts";
import { type Counts, formatCounts } from "./number.ts";
import { type LookQuery, LOOKS } from "./parameters.ts";
import type { Bars } from "./styles/style.ts";
import { cleanText, escape, type Line, setLine, textHash } from "./text.ts";

/** What a badge may show beside its label and its message. */
export interface BadgeOptions {
  /** Only for a style that has room for them. */
  readonly bars?: Bars;
}

/** Draws a badge as an SVG document. */
export function renderBadge(
  look: Look,
  message: string,
  { bars = NO_BARS }: BadgeOptions = {},
): string {
  return look.draw({ label: look.line, message: messageLine(look, message), bars });
}

/** Draws the badge that says what went wrong: the same look, its value in red. */
export function renderError(look: Look, message: string): string {
  const { style, palette, line: label } = look;
  const draw = style.painter({ ...palette, color: undefined, valueColor: undefined, failed: true });
  return draw({ label, message: messageLine(look, message), bars: NO_BARS });
}

/** Stands for bars where there are none. */
export const NO_BARS: Bars = { width: 0, tag: "", draw: () => "", trend: undefined };

function messageLine({ style }: Look, message: string): Line {
  return setLine(cleanText(message), style.messageFace, style.capitals);
}

/** A badge, and what tells it from every other: the same for the same bytes, in characters of a URL. */
export interface Badge {
  readonly svg: string;
  readonly tag: string;
}

/** What a badge tells: counts, perhaps with bars. */
export type Told = Counts | WithBars;

/** Counts, and the bars that stand before them. */
export interface WithBars {
  readonly counts: Counts;
  readonly bars: Bars;
}

/** The query of a badge, also as it was written. */
export interface DrawingQuery extends LookQuery {
  /** In the order in which they were given. */
  readonly forEach: (visit: (value: string, name: string) => void) => void;
}

const SHAPING: ReadonlySet<string> = new Set(LOOKS.map(({ name }) => name));
const REMEMBERED = 1000;
/** Half of a surrogate pair: no value that was decoded strictly can hold it and so pass for two. */
const SEPARATOR = "\ud800";
/** Characters; longer queries are rare, and would let anyone fill the memory. */
const MAX_KEY_LENGTH = 300;

/**
 * A function that draws counts as queries want them to look; looks that are asked for again and again are resolved once.
 * What `frame` makes of a badge is kept with it.
 */
export function createDrawings<Framed>(
  frame: (badge: Badge) => Framed,
): (query: DrawingQuery, told: Told) => Framed {
  const known = new Recent<string, (told: Told) => Framed>(REMEMBERED);
  return (query, told) => {
    const key = keyOf(query);
    const found = known.get(key);
    if (found !== undefined) return found(told);
    const draw = drawingsOf(parseLook(query), frame);
    if (key.length <= MAX_KEY_LENGTH) known.set(key, draw);
    return draw(told);
  };
}

/** What went wrong: the few words that fit on a badge, and the sentence that its description has room for. */
export interface Failing {
  readonly badge: string;
  readonly detail: string;
}

/** Draws an error where no look is known: what was asked for may be what is wrong. */
export function errorBadge({ badge, detail }: Failing): string {
  const svg = renderError(parseLook(new Map()), badge);
  return svg.replace("</title>", (end) => `${end}<desc>${escape(detail)}</desc>`);
}

/** What of a query shapes a look, in the order in which it was given. */
function keyOf(query: DrawingQuery): string {
  let key = "";
  query.forEach((value, name) => {
    if (SHAPING.has(name)) key += name + SEPARATOR + value + SEPARATOR;
  });
  return key;
}

/** Draws one look; the last drawing is kept, as badges are seen more often than their numbers change. */
function drawingsOf<Framed>(
  look: Look,
  frame: (badge: Badge) => Framed,
): (told: Told) => Framed {
  // Whatever changes the drawing changes the hash of a badge without a message.
  const hash = textHash(renderBadge(look, ""));
  const draw = (told: Told) => {
    const { counts, bars } = partsOf(told);
    const message = formatCounts(withBase(counts, look), look);
    const tag = `${hash}-${encodeURIComponent(message)}${bars.tag}`;
    return { told, framed: frame({ svg: renderBadge(look, message, { bars }), tag }) };
  };
  let last: ReturnType<typeof draw> | undefined;
  return (told) => {
    if (last?.told !== told) last = draw(told);
    return last.framed;
  };
}

/** The total, which stands last, with what the counter had elsewhere. */
function withBase(counts: Counts, { base }: Look): Counts {
  if (base === 0) return counts;
  const sum = (total: number) => Math.min(Number.MAX_SAFE_INTEGER, total + base);
  if (typeof counts === "number") return sum(counts);
  return counts.map((count, index) => index === counts.length - 1 ? sum(count) : count);
}

function partsOf(told: Told): WithBars {
  return typeof told === "object" && "bars" in told ? told : { counts: told, bars: NO_BARS };
}
