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

/** Draws a badge: the label on the left, unless it is empty, and the message on the right. */
export type Draw = (label: Line, message: Line) => string;

/** One look of badges: how its text is measured, and how it is drawn once the paint is known. */
export interface Style {
  readonly labelFace: Face;
  readonly messageFace: Face;
  readonly capitals: boolean;
  /** The families to fall back on. */
  readonly font: string;
  readonly painter: (palette: Palette) => Draw;
}
