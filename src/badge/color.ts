import { CSS_COLORS } from "./css_color.ts";

/** A color that may stand in an SVG: "#" and 3, 4, 6 or 8 lower-case hex digits. */
export type Color = `#${string}`;

/** Understands names of shields.io, then of CSS, then hex with or without "#"; in any case. */
export function parseColor(text: string | undefined): Color | undefined {
  if (text === undefined || text.length > LONGEST) return undefined;
  const name = text.trim().toLowerCase();
  return SHIELDS_COLORS.get(name) ?? CSS_COLORS.get(name) ?? hexColor(name);
}

/** The color for shields.io: a name or lower-case hex (with "#") that it draws, else "blue". */
export function shieldsColor(text: string | undefined): string {
  if (text === undefined || text.length > LONGEST) return "blue";
  const name = text.trim().toLowerCase();
  return SHIELDS_COLORS.has(name) || CSS_COLORS.has(name) ? name : hexColor(name) ?? "blue";
}

/** Whether text on this color must be dark: shields.io's rule, brightness above 0.69. */
export function isBright(color: Color): boolean {
  const [red, green, blue] = channels(color);
  // Rounded to two places before it is compared, as shields.io does.
  return Math.round((red * 299 + green * 587 + blue * 114) / 2550) > 69;
}

/** Contrast ratio of two colors as WCAG 2 defines it, from 1 to 21, transparency left out. */
export function contrast(one: Color, other: Color): number {
  const a = luminance(one) + 0.05;
  const b = luminance(other) + 0.05;
  return a > b ? a / b : b / a;
}

function luminance(color: Color): number {
  const [red, green, blue] = channels(color);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function channels(color: Color): [red: number, green: number, blue: number] {
  if (color.length < 6) {
    const digits = parseInt(color.slice(1, 4), 16);
    return [(digits >> 8) * 17, (digits >> 4 & 15) * 17, (digits & 15) * 17];
  }
  const digits = parseInt(color.slice(1, 7), 16);
  return [digits >> 16, digits >> 8 & 255, digits & 255];
}

function hexColor(text: string): Color | undefined {
  const digits = text.startsWith("#") ? text.slice(1) : text;
  return HEX.test(digits) ? `#${digits}` : undefined;
}

const HEX = /^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/;

// "lightgoldenrodyellow" has 20 letters; the rest is room for blanks.
const LONGEST = 32;

// The palette of badge-maker 6, the renderer of shields.io.
const SHIELDS_COLORS: ReadonlyMap<string, Color> = new Map([
  ["brightgreen", "#4b0"],
  ["green", "#67ac09"],
  ["yellow", "#d8b800"],
  ["yellowgreen", "#95991a"],
  ["orange", "#ea7233"],
  ["red", "#dd4343"],
  ["blue", "#007ec6"],
  ["grey", "#555"],
  ["gray", "#555"],
  ["lightgrey", "#939393"],
  ["lightgray", "#939393"],
  ["critical", "#dd4343"],
  ["important", "#ea7233"],
  ["success", "#4b0"],
  ["informational", "#007ec6"],
  ["inactive", "#939393"],
]);
