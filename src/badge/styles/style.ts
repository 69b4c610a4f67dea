import type { Color } from "../color.ts";
import type { Face } from "../faces/face.ts";
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
}

/** Bars that stand between label and message, or none. */
export interface Bars {
  /** In whole pixels; 0 for none. */
  readonly width: number;
  /** What tells them from others, in characters of a URL; empty for none. */
  readonly tag: string;
  /** Draws them from this pixel on, with these attributes as ink. */
  draw(left: number, ink: string): string;
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
  /** The families to fall back on. */
  readonly font: string;
  readonly painter: (palette: Palette) => Draw;
}
