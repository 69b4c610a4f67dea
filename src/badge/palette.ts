import { parseColor } from "../drawing/color.ts";
import { parseTheme } from "../drawing/inks.ts";
import { parseGoal } from "../drawing/number.ts";
import { wholeWithin } from "../drawing/parameters.ts";
import { BADGE_PARAMETERS, type LookQuery } from "./parameters.ts";
import { LOGOS } from "./styles/logo.ts";

/** The choices of a query. The style fills in undefined ones. */
export type Palette = ReturnType<typeof parsePalette>;

/** Parses the colors and the logo. Invalid values fall back to the default. */
export function parsePalette(query: LookQuery, fallbackFont: string) {
  const { schema } = BADGE_PARAMETERS.digits;
  const palette = {
    theme: parseTheme(query.get("theme")),
    /** True for an error. */
    failed: false,
    /** The side of the message shows which share of it was reached. */
    goal: parseGoal(query.get("goal")),
    bg: parseColor(query.get("bg")),
    color: parseColor(query.get("color")),
    labelColor: parseColor(query.get("labelColor")),
    valueColor: parseColor(query.get("valueColor")),
    /** Font families, ready for a double-quoted attribute. */
    font: fontFamily(query.get("font"), fallbackFont),
    /** The strokes of a logo as the data of a path; undefined for none. */
    logo: LOGOS.get(query.get("logo") ?? ""),
    logoColor: parseColor(query.get("logoColor")),
    /** The least number of digits in a digit style. */
    digits: wholeWithin(query.get("digits"), schema) ?? schema.default,
  };
  return Object.freeze(palette);
}

/**
 * Returns a safe `font-family` value from a client's list. Quotes names, leaves generic families
 * bare and appends the families of the style. Returns those alone if the list is invalid.
 */
export function fontFamily(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > MAX_LENGTH) return fallback;
  const names = text.split(",").map((name) => name.trim());
  if (!names.every((name) => NAME.test(name))) return fallback;
  const families = names.map((name) => {
    const generic = name.toLowerCase();
    return GENERIC.has(generic) ? generic : `'${name}'`;
  });
  return `${families.join(",")},${fallback}`;
}

const MAX_LENGTH = 100;
const NAME = /^[\p{L}\p{M}\p{Nd} -]+$/u;

// The generic families of CSS Fonts Module Level 4.
const GENERIC: ReadonlySet<string> = new Set([
  ...["serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "math", "fangsong"],
  ...["ui-serif", "ui-sans-serif", "ui-monospace", "ui-rounded"],
]);
