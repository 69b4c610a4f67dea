import type { Color } from "../color.ts";
import type { Face } from "../face.ts";
import type { Scheme } from "../paint.ts";
import type { Line } from "../text.ts";

/** The color scheme of the page around a badge; "none" keeps the colors of shields.io. */
export type Theme = "none" | Scheme;

/** The choices of a query. The style fills in undefined ones. */
export interface Palette {
  readonly theme: Theme;
  readonly failed: boolean;
  /** True if the side of the message shows the share of a goal. */
  readonly hasGoal: boolean;
  readonly color: Color | undefined;
  readonly bg: Color | undefined;
  readonly labelColor: Color | undefined;
  readonly valueColor: Color | undefined;
  /** Font families, ready for a double-quoted attribute. */
  readonly font: string;
  /** The strokes of a logo as the data of a path; undefined for none. */
  readonly logo: string | undefined;
  readonly logoColor: Color | undefined;
  /** The least number of digits in a digit style. */
  readonly digits: number;
}

/** Bars between label and message, or none. */
export interface Bars {
  /** In whole pixels; 0 for none. */
  readonly width: number;
  /** Goes into the ETag, so that it is safe in a URL; empty without bars. */
  readonly tag: string;
  /** Draws them from this pixel on; `ink` is an attribute such as `fill="#fff"`. */
  draw(left: number, ink: string): string;
  /** Percent by which the last seven whole days exceed the seven before. Undefined if unknown. */
  readonly trend: number | undefined;
}

/** The part of a badge that changes: bars, then a message. Both follow the label. */
export interface Content {
  readonly message: Line;
  readonly bars: Bars;
  /** The share of the message's side that is filled, from 0 to 1. Needs `hasGoal`. */
  readonly share: number;
}

/** Draws a badge as an SVG document. */
export type Draw = (content: Content) => string;

/** The faces that measure the text of a badge, and the painter that draws it. */
export interface Style {
  readonly labelFace: Face;
  readonly messageFace: Face;
  readonly capitals: boolean;
  /** True if it has room for bars. */
  readonly bars: boolean;
  /** True if the count is drawn as plain digits, so that `numbers` and `locale` do nothing. */
  readonly plainDigits?: boolean;
  /** The families to fall back on. */
  readonly font: string;
  readonly painter: (palette: Palette, label: Line) => Draw;
}

/** The outer part of every badge: its size in pixels, and its text for screen readers. */
export interface Frame {
  readonly label: Line;
  readonly message: Line;
  /** Read aloud after the message, escaped. */
  readonly more?: string;
  readonly width: number;
  readonly height: number;
  /** A style element or nothing. */
  readonly css: string;
}

/** Puts a drawing into an SVG document that a screen reader reads as "label: message". */
export function frame(
  { width, height, label, message, more = "", css }: Frame,
  drawing: string,
): string {
  const text = (label.spoken === "" ? "" : `${label.spoken}: `) + message.spoken + more;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${text}">` +
    `<title>${text}</title>${css}${drawing}</svg>`;
}

/** Width and height of a logo in pixels. */
export const LOGO_SIZE = 14;

/** Path data of the strokes of each logo in a square of {@linkcode LOGO_SIZE}. All are our own. */
export const LOGOS: ReadonlyMap<string, string> = new Map(Object.entries({
  tally: "M2 2v10M5.3 2v10M8.7 2v10M12 2v10M.8 9.6L13.2 4.4",
  eye: "M1 7c1.7-2.9 3.7-4.3 6-4.3S11.3 4.1 13 7c-1.7 2.9-3.7 4.3-6 4.3S2.7 9.9 1 7z" +
    "M7 5.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
  star: "M7 1.2l1.8 3.7 4 .6-2.9 2.9.7 4.1L7 10.6l-3.6 1.9.7-4.1L1.2 5.5l4-.6z",
  heart: "M7 12.2C2.6 9.2 1 7.1 1 4.9 1 3.1 2.4 1.8 4 1.8c1.2 0 2.3.7 3 1.9.7-1.2 1.8-1.9 " +
    "3-1.9 1.6 0 3 1.3 3 3.1 0 2.2-1.6 4.3-6 7.3z",
  flame: "M7 1.2c.4 2.5 3.9 3.7 3.9 7.2A3.9 3.9 0 0 1 7 12.6a3.9 3.9 0 0 1-3.9-4.2c0-1.7.9-2.7 " +
    "1.6-3.6.2 1 .7 1.5 1.3 1.7C5.8 4.3 6 2.6 7 1.2z",
  users: "M5 6.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM1 12c0-2.2 1.7-3.6 4-3.6S9 9.8 9 12" +
    "M9.3 2.3a2.2 2.2 0 0 1 0 4M10.8 8.7c1.3.5 2.2 1.7 2.2 3.3",
  download: "M7 1.5v7M4 5.7l3 3 3-3M1.5 10.5v2h11v-2",
  book: "M7 3.2C5.6 2.3 3.8 2 1.5 2v8.7c2.3 0 4.1.3 5.5 1.2 1.4-.9 3.2-1.2 5.5-1.2V2" +
    "C10.2 2 8.4 2.3 7 3.2zM7 3.2v8.7",
  code: "M4.3 3.8L1 7l3.3 3.2M9.7 3.8L13 7l-3.3 3.2M8.2 2.5l-2.4 9",
  globe: "M7 1a6 6 0 1 0 0 12A6 6 0 0 0 7 1zM1.2 7h11.6M7 1c1.7 1.7 2.5 3.7 2.5 6S8.7 11.3 7 13" +
    "C5.3 11.3 4.5 9.3 4.5 7S5.3 2.7 7 1z",
  bolt: "M8 1L2.5 8H7l-1 5 5.5-7H7z",
  chart: "M2 12.5V8M7 12.5V5M12 12.5V1.5",
}));

/** The left edge of a logo, and the height of the badge in which it is centered. */
interface LogoAt {
  readonly x: number;
  readonly height: number;
  /** The stroke attribute to use unless `logoColor` was chosen. */
  readonly ink: string;
}

/** Draws the logo of a palette, if it has one. */
export function drawLogo({ logo, logoColor }: Palette, { x, height, ink }: LogoAt): string {
  if (logo === undefined) return "";
  const stroke = logoColor === undefined ? ink : ` stroke="${logoColor}"`;
  return `<path transform="translate(${x} ${(height - LOGO_SIZE) / 2})" fill="none" ` +
    `stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"${stroke} d="${logo}"/>`;
}
