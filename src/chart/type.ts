import { clusterWidth, verdana11, verdanaBold10 } from "../badge/face.ts";
import { formatCount } from "../badge/number.ts";
import { drawText, graphemes, setLine, tenth } from "../badge/text.ts";
import type { PictureLook } from "./look.ts";

/** The size of a text in pixels, and its weight. */
export interface Type {
  readonly size: number;
  readonly bold: boolean;
}

/** A text that is set: what is drawn, and how wide, in pixels. */
export type Setting = Readonly<ReturnType<typeof setType>>;

/** The left end, the middle or the right end of a text, and its baseline. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly at: "left" | "middle" | "right";
  /** Attributes for its color; that of the words around it if left out. */
  readonly ink?: string;
}

/** Sets a clean text. */
export function setType(text: string, type: Type) {
  const line = setLine(text, faceOf(type));
  return { line, width: line.width * scaleOf(type), type };
}

/**
 * Sets as much of a clean text as fits, with "…" if it is cut. Returns undefined if next to nothing
 * fits.
 */
export function setWithin(text: string, type: Type, width: number): Setting | undefined {
  const whole = setType(text, type);
  if (whole.width <= width) return whole;
  const face = faceOf(type);
  let left = width / scaleOf(type) - clusterWidth(face, "…");
  let kept = "";
  for (const { segment } of graphemes(text)) {
    left -= clusterWidth(face, segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept.length < FEWEST ? undefined : setType(`${kept.trimEnd()}…`, type);
}

/** Draws a text as wide as it was set, whatever fonts the reader has. Returns "" for none. */
export function drawType(setting: Setting | undefined, { x, y, at, ink = "" }: Place): string {
  if (setting === undefined || tenth(setting.width) === 0) return "";
  const { line, width, type } = setting;
  // The ends change sides where the text runs from right to left; its middle does not.
  const middle = at === "middle" ? x : at === "left" ? x + width / 2 : x - width / 2;
  const more = type.bold ? ' font-weight="bold"' : "";
  return drawText(line, { x: tenth(middle), y, length: tenth(width), ink, more });
}

/** Characters: fewer than these are no help. */
const FEWEST = 3;

function faceOf({ bold }: Type): typeof verdana11 {
  return bold ? verdanaBold10 : verdana11;
}

function scaleOf(type: Type): number {
  return type.size / faceOf(type).em;
}

interface Heading {
  readonly total: number;
  /** Hits within the range; undefined where no days are known. */
  readonly within: number | undefined;
  /** The range in the reader's language, such as "30 days". */
  readonly span: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  /** The ink of the count. */
  readonly strong: string;
}

/**
 * Draws the label on the left, and "12,345 · 2,434 in 30 days" on the right, or
 * "12,345 · in 10 years" if these are all hits.
 */
export function drawHeading(heading: Heading, look: PictureLook): string {
  const { left, right, baseline: y, strong } = heading;
  const size = right - left < NARROW ? 11 : 13;
  const label = setType(look.label, { size, bold: false });
  const figures = setFigures(heading, { look, size, label });
  const shown = setWithin(look.label, label.type, right - left - widthOf(figures) - GAP);
  let x = right - widthOf(figures);
  const drawn = figures.map((part) => {
    const text = drawType(part, { x, y, at: "left", ink: part.type.bold ? strong : "" });
    x += part.width + SPACE;
    return text;
  });
  return `<g font-size="${size}">${drawType(shown, { x: left, y, at: "left" })}${
    drawn.join("")
  }</g>`;
}

const NARROW = 300;
const SPACE = 4;
const GAP = 12;
/** Width of a label that is visible before the numbers become shorter. */
const LEAST_LABEL = 60;

/** Returns the figures in full, compact, or the count alone, whichever fits. */
function setFigures(
  heading: Heading,
  { look, size, label }: { look: PictureLook; size: number; label: Setting },
): readonly Setting[] {
  const room = heading.right - heading.left;
  const full = figuresIn(heading, look, size);
  if (widthOf(full) + GAP + Math.min(label.width, LEAST_LABEL) <= room) return full;
  const compact = figuresIn(heading, { ...look, numbers: "compact" }, size);
  return widthOf(compact) <= room ? compact : compact.filter(({ type }) => type.bold);
}

function figuresIn(
  { total, within, span }: Heading,
  look: PictureLook,
  size: number,
): readonly Setting[] {
  const count = setType(formatCount(total, look), { size, bold: true });
  if (within === undefined) return [count];
  const joined = ENGLISH.test(look.locale) ? "in" : "/";
  const hits = within === total ? "" : `${formatCount(within, look)} `;
  const words = `· ${hits}${joined} ${span}`;
  const rest = setType(words, { size, bold: false });
  // Read from the right, the count comes first there.
  return rest.line.rightToLeft ? [rest, count] : [count, rest];
}

export const ENGLISH = /^en\b/;

function widthOf(figures: readonly Setting[]): number {
  return figures.reduce((sum, { width }) => sum + width + SPACE, -SPACE);
}
