import { parseColor } from "./color.ts";
import { parseGoal } from "./goal.ts";
import { type NumberForm, parseNumberForm } from "./number.ts";
import * as parameters from "./parameters.ts";
import type { LookQuery } from "./parameters.ts";
import { flap, led, odometer } from "./styles/digits.ts";
import { type Draw, LOGOS, type Palette, type Style, type Theme } from "./styles/style.ts";
import { pill } from "./styles/pill.ts";
import { pixel } from "./styles/pixel.ts";
import { classic, flatSquare, forTheBadge, plastic } from "./styles/shields.ts";
import { social } from "./styles/social.ts";
import { terminal } from "./styles/terminal.ts";
import { cleanText, type Line, setLine } from "./text.ts";

/** Everything about a badge but its message: parsed, safe and ready to draw with. */
export interface Look extends NumberForm {
  /** The label as clean text of at most 100 characters and "…". Empty for no left side. */
  readonly label: string;
  /** Added to the total as it is drawn. */
  readonly base: number;
  readonly goal: number | undefined;
  readonly style: Style;
  readonly palette: Palette;
  /** The label in the style's face. */
  readonly line: Line;
  /** The style in this palette. */
  readonly draw: Draw;
}

/** Never throws: invalid values fall back to the default. */
export function parseLook(query: LookQuery): Look {
  const style = parseStyle(query);
  const label = parseLabel(query);
  const goal = parseGoal(query.get("goal"));
  const palette: Palette = Object.freeze({
    theme: parseTheme(query.get("theme")),
    failed: false,
    hasGoal: goal !== undefined,
    bg: parseColor(query.get("bg")),
    color: parseColor(query.get("color")),
    labelColor: parseColor(query.get("labelColor")),
    valueColor: parseColor(query.get("valueColor")),
    font: fontFamily(query.get("font"), style.font),
    logo: LOGOS.get(query.get("logo") ?? ""),
    logoColor: parseColor(query.get("logoColor")),
    digits: wholeWithin(query.get("digits"), parameters.digits.schema) ??
      parameters.digits.schema.default,
  });
  const line = setLine(label, style.labelFace, style.capitals);
  return Object.freeze({
    label,
    base: wholeWithin(query.get("base"), parameters.base.schema) ?? parameters.base.schema.default,
    goal,
    ...(style.plainDigits ? PLAIN : parseNumberForm(query)),
    style,
    palette,
    line,
    draw: style.painter(palette, line),
  });
}

export function parseLabel(query: LookQuery<"label">): string {
  return cleanText(query.get("label") ?? parameters.label.schema.default);
}

const PLAIN: NumberForm = { numbers: "plain", locale: "en" };

/** A whole number from 1, clamped; undefined for 0 and anything else. */
export function wholeWithin(
  text: string | undefined,
  { minimum, maximum }: { minimum: number; maximum: number },
): number | undefined {
  if (text === undefined || !/^\d+$/.test(text) || Number(text) === 0) return undefined;
  return Math.min(maximum, Math.max(minimum, Number(text)));
}

export function parseStyle(query: LookQuery<"style">): Style {
  return STYLES.get(query.get("style") ?? "") ?? BY_NAME[parameters.style.schema.default];
}

const BY_NAME: Readonly<Record<(typeof parameters.style.schema.enum)[number], Style>> = {
  classic,
  flat: classic,
  "flat-square": flatSquare,
  plastic,
  "for-the-badge": forTheBadge,
  social,
  pill,
  terminal,
  odometer,
  flap,
  led,
  pixel,
};

/** Every style by the names that the `style` parameter takes. */
export const STYLES: ReadonlyMap<string, Style> = new Map(Object.entries(BY_NAME));

export function parseTheme(text: string | undefined): Theme {
  return text === "auto" || text === "light" || text === "dark" ? text : "none";
}

/**
 * Returns a safe `font-family` value from a client's list. Quotes names, leaves generic families
 * bare and appends the families of the style. Returns those alone if the list is invalid.
 */
export function fontFamily(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > MAX_LENGTH) return fallback;
  const names = text.split(",").map((name) => name.trim());
  if (!names.every((name) => NAME.test(name))) return fallback;
  return `${names.map(quoted).join(",")},${fallback}`;
}

function quoted(name: string): string {
  const generic = name.toLowerCase();
  return GENERIC.has(generic) ? generic : `'${name}'`;
}

const MAX_LENGTH = 100;
const NAME = /^[\p{L}\p{M}\p{Nd} -]+$/u;

// The generic families of CSS Fonts Module Level 4.
const GENERIC: ReadonlySet<string> = new Set([
  ...["serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "math", "fangsong"],
  ...["ui-serif", "ui-sans-serif", "ui-monospace", "ui-rounded"],
]);
