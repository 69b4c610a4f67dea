import { clusterWidth, verdana11, verdanaBold10 } from "../drawing/face.ts";
import { formatCount } from "../drawing/number.ts";
import { drawText, graphemes, setLine, tenth } from "../drawing/text.ts";
import type { PictureLook } from "./look.ts";
import { ENGLISH } from "./dates.ts";

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
 * Sets as much of a clean text as fits, with "…" where it is cut. Returns undefined if next to
 * nothing fits.
 */
export function setWithin(
  text: string,
  type: Type,
  width: number,
  cut: "end" | "middle" = "end",
): Setting | undefined {
  const whole = setType(text, type);
  if (whole.width <= width) return whole;
  const face = faceOf(type);
  const segments = Array.from(graphemes(text), ({ segment }) => segment);
  let left = width / scaleOf(type) - clusterWidth(face, "…");
  let [start, end] = ["", ""];
  for (let count = 0; segments.length > 0; count++) {
    const isEnd = cut === "middle" && count % 2 === 0;
    const segment = (isEnd ? segments.pop() : segments.shift()) ?? "";
    left -= clusterWidth(face, segment);
    if (left < 0) break;
    if (isEnd) end = segment + end;
    else start += segment;
  }
  if (start.length + end.length < FEWEST) return undefined;
  return setType(`${start.trimEnd()}…${end.trimStart()}`, type);
}

/** Draws a text as wide as it was set, whatever fonts the reader has. Returns "" for none. */
export function drawType(setting: Setting | undefined, { x, y, at, ink = "" }: Place): string {
  if (setting === undefined || tenth(setting.width) === 0) return "";
  const { line, width, type } = setting;
  const left = at === "middle" ? x - width / 2 : at === "left" ? x : x - width;
  const more = type.bold ? ' font-weight="bold"' : "";
  return drawText(line, { x: tenth(left), y, length: tenth(width), ink, more });
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
 * Draws the label on the left, and "12,345 · 2,434 in 30 days" on the right, or "12,345 in 30 days"
 * if these are all hits. Figures that do not fit are compact, or the count alone.
 */
export function drawHeading(heading: Heading, look: PictureLook): string {
  const { left, right, baseline: y, strong } = heading;
  const room = right - left;
  const size = room < NARROW ? 11 : 13;
  const label = setType(look.label, { size, bold: false });
  let figures = setFigures(heading, look, size);
  if (widthOf(figures, SPACE) + GAP + Math.min(label.width, LEAST_LABEL) > room) {
    figures = setFigures(heading, { ...look, numbers: "compact" }, size);
    if (widthOf(figures, SPACE) > room) figures = figures.filter(({ type }) => type.bold);
  }
  const width = widthOf(figures, SPACE);
  const shown = setWithin(look.label, label.type, room - width - GAP);
  return `<g font-size="${size}">${drawType(shown, { x: left, y, at: "left" })}` +
    `${drawRow(figures, { left: right - width, y, gap: SPACE, strong })}</g>`;
}

const NARROW = 300;
const SPACE = 4;
const GAP = 12;
/** Width of a label that is visible before the numbers become shorter. */
const LEAST_LABEL = 60;

function setFigures({ total, within, span }: Heading, look: PictureLook, size: number) {
  const count = setType(formatCount(total, look), { size, bold: true });
  // An owner may have set the total below the hits of its days, of which it would not be the sum.
  if (within === undefined || within > total) return [count];
  const joined = ENGLISH.test(look.locale) ? "in" : "/";
  const hits = within === total ? "" : `· ${formatCount(within, look)} `;
  const words = `${hits}${joined} ${span}`;
  const rest = setType(words, { size, bold: false });
  // Read from the right, the count comes first there.
  return rest.line.rightToLeft ? [rest, count] : [count, rest];
}

/** Returns the width of texts in a row with a gap between them. */
export function widthOf(row: readonly Setting[], gap: number): number {
  return row.reduce((sum, { width }) => sum + width + gap, -gap);
}

/** Draws texts in a row, those in bold in the ink `strong`. */
export function drawRow(
  row: readonly Setting[],
  { left, y, gap, strong }: { left: number; y: number; gap: number; strong: string },
): string {
  let x = left;
  return row.map((part) => {
    const text = drawType(part, { x, y, at: "left", ink: part.type.bold ? strong : "" });
    x += part.width + gap;
    return text;
  }).join("");
}
