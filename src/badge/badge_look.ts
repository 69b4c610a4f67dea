import { type NumberForm, parseNumberForm } from "./number.ts";
import { parsePalette } from "./palette.ts";
import { BADGE_PARAMETERS, type LookQuery, wholeWithin } from "./parameters.ts";
import { flap, led, odometer } from "./styles/digits.ts";
import type { Style } from "./styles/style.ts";
import { pill } from "./styles/pill.ts";
import { pixel } from "./styles/pixel.ts";
import { classic, flatSquare, forTheBadge, plastic } from "./styles/shields.ts";
import { social } from "./styles/social.ts";
import { terminal } from "./styles/terminal.ts";
import { cleanText, setLine } from "./text.ts";

/** Everything about a badge but its message: parsed, safe and ready to draw with. */
export type Look = ReturnType<typeof parseLook>;

/** Parses a look. Invalid values fall back to the default. */
export function parseLook(query: LookQuery) {
  const style = parseStyle(query);
  const palette = parsePalette(query, style.font);
  const line = setLine(parseLabel(query), style.labelFace, style.capitals);
  const { schema } = BADGE_PARAMETERS.base;
  return Object.freeze({
    ...(style.plainDigits ? PLAIN : parseNumberForm(query)),
    /** Added to the total as it is drawn. */
    base: wholeWithin(query.get("base"), schema) ?? schema.default,
    style,
    palette,
    /** The label in the style's face. */
    line,
    /** The style in this palette. */
    draw: style.painter(palette, line),
  });
}

/** Returns a label as clean text of at most 100 characters and "…". Empty for no left side. */
export function parseLabel(query: LookQuery<"label">): string {
  return cleanText(query.get("label") ?? BADGE_PARAMETERS.label.schema.default);
}

const PLAIN: NumberForm = { numbers: "plain", locale: "en" };

export function parseStyle(query: LookQuery<"style">): Style {
  return STYLES.get(query.get("style") ?? "") ?? BY_NAME[BADGE_PARAMETERS.style.schema.default];
}

const BY_NAME: Readonly<Record<(typeof BADGE_PARAMETERS.style.schema.enum)[number], Style>> = {
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
