import { type NumberForm, parseNumberForm } from "../drawing/number.ts";
import { parsePalette } from "../drawing/palette.ts";
import { BADGE_PARAMETERS, type LookQuery, wholeWithin } from "./parameters.ts";
import { parseStyle } from "./styles.ts";
import { cleanText, setLine } from "../drawing/text.ts";

/** Everything about a badge but its message: parsed, safe and ready to draw with. */
export type Look = ReturnType<typeof parseLook>;

/** Parses a look. Invalid values fall back to the default. */
export function parseLook(query: LookQuery) {
  const style = parseStyle(query);
  const palette = parsePalette(query, style.font);
  const line = setLine(parseLabel(query), style.labelFace, style.capitals);
  const { schema } = BADGE_PARAMETERS.base;
  return Object.freeze({
    ...(style.ignores.includes("numbers") ? PLAIN : parseNumberForm(query)),
    /** Added to the total as it is drawn. */
    base: wholeWithin(query.get("base"), schema) ?? schema.default,
    style,
    palette,
    /** The label in the style's face. */
    line,
    /** The style in this palette. */
    draw: style.layout(palette, line),
  });
}

/** Returns a label as clean text of at most 100 characters and "…". Empty for no left side. */
export function parseLabel(query: LookQuery<"label">): string {
  return cleanText(query.get("label") ?? BADGE_PARAMETERS.label.schema.default);
}

const PLAIN: NumberForm = { numbers: "plain", locale: "en" };
