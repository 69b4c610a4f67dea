import type { Color } from "../color.ts";
import type { Face } from "../face.ts";
import type { theme } from "../parameters.ts";
import type { Line } from "../text.ts";

/** Which page the badge stands on; "none" keeps the colors of shields.io. */
export type Theme = "none" | (typeof theme.schema.enum)[number];

/** What a caller may choose about a badge's paint; every part left out is the style's to choose. */
export interface Palette {
  readonly theme: Theme;
  readonly failed: boolean;
  readonly color: Color | undefined;
  readonly bg: Color | undefined;
  readonly labelColor: Color | undefined;
  readonly valueColor: Color | undefined;
  /** A list of families, ready to stand in an attribute in double quotes. */
  readonly font: string;
  /** The strokes of a logo as the data of a path; undefined for none. */
  readonly logo: string | undefined;
  readonly logoColor: Color | undefined;
  /** How many digits a style of digits shows at least. */
  readonly digits: number;
}

/** Bars that stand between label and message, or none. */
export interface Bars {
  /** In whole pixels; 0 for none. */
  readonly width: number;
  /** What tells them from others, in characters of a URL; empty for none. */
  readonly tag: string;
  /** Draws them from this pixel on, with these attributes as ink. */
  draw(left: number, ink: string): string;
  /** By how many percent the last seven whole days are above the seven before them; undefined where nobody can tell. */
  readonly trend: number | undefined;
}

/** What a badge says: the label on the left, unless it is empty, then the bars and the message. */
export interface Content {
  readonly label: Line;
  readonly message: Line;
  readonly bars: Bars;
}

/** Draws a badge as an SVG document. */
export type Draw = (content: Content) => string;

/** One look of badges: how its text is measured, and how it is drawn once the paint is known. */
export interface Style {
  readonly labelFace: Face;
  readonly messageFace: Face;
  readonly capitals: boolean;
  /** Whether it has room for bars. */
  readonly bars: boolean;
  /** Whether it draws plain digits, without a label and without separators. */
  readonly plainDigits?: boolean;
  /** The families to fall back on. */
  readonly font: string;
  readonly painter: (palette: Palette) => Draw;
}

/** What surrounds every badge: its size in pixels and its text for those who do not see it. */
export interface Frame {
  readonly label: Line;
  readonly message: Line;
  /** What else is said of the numbers, escaped. */
  readonly more?: string;
  readonly width: number;
  readonly height: number;
  /** A style element or nothing. */
  readonly css: string;
}

/** Puts the drawing into an SVG document that says "label: message" to a screen reader. */
export function frame(
  { width, height, label, message, more = "", css }: Frame,
  drawing: string,
): string {
  const text = (label.spoken === "" ? "" : `${label.spoken}: `) + message.spoken + more;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${text}">` +
    `<title>${text}</title>${css}${drawing}</svg>`;
}
