import { clusterWidth, verdana11, verdanaBold10 } from "../badge/face.ts";
import { graphemes, type Line, setLine } from "../badge/text.ts";

/** The size of a text in pixels, and its weight. */
export interface Type {
  readonly size: number;
  readonly bold: boolean;
}

/** A text that is set: what is drawn, and how wide, in pixels. */
export interface Setting {
  readonly line: Line;
  readonly width: number;
  readonly type: Type;
}

/** Where a text stands: the left end, the middle or the right end, and the baseline. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly at: "left" | "middle" | "right";
}

/** Sets a clean text. */
export function setType(text: string, type: Type): Setting {
  const line = setLine(text, faceOf(type));
  return { line, width: line.width * scaleOf(type), type };
}

/** Sets as much of a clean text as fits, "…" behind it where something is missing; undefined where next to nothing fits. */
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

/** Draws a text as wide as it was set, whatever fonts the reader has. */
export function drawType({ line, width, type }: Setting, { x, y, at }: Place): string {
  if (tenth(width) === 0) return "";
  // The ends change sides where the text runs from right to left; its middle does not.
  const middle = at === "middle" ? x : at === "left" ? x + width / 2 : x - width / 2;
  const weight = type.bold ? ' font-weight="bold"' : "";
  return `<text x="${tenth(middle)}" y="${y}" textLength="${tenth(width)}"` +
    `${weight}${line.direction}>${line.drawn}</text>`;
}

/** A length to a tenth of a pixel, which is as fine as anybody sees. */
export function tenth(length: number): number {
  return Math.round(length * 10) / 10;
}

/** Characters: fewer than these are no help. */
const FEWEST = 3;

function faceOf({ bold }: Type): typeof verdana11 {
  return bold ? verdanaBold10 : verdana11;
}

function scaleOf(type: Type): number {
  return type.size / faceOf(type).em;
}
