import { type NumberForm, parseNumberForm } from "../drawing/number.ts";
import { parseLabel, wholeWithin } from "../drawing/parameters.ts";
import { setLine, type Target } from "../drawing/text.ts";
import { parsePalette } from "./palette.ts";
import { BADGE_PARAMETERS, type LookQuery } from "./parameters.ts";
import { parseStyle } from "./styles.ts";

/** Everything about a badge but its message: parsed, safe and ready to draw with. */
export type Look = ReturnType<typeof parseLook>;

/** Parses a look. Invalid values fall back to the default. */
export function parseLook(query: LookQuery, target?: Target) {
  const style = parseStyle(query);
  const palette = parsePalette(query, style.font);
  const line = setLine(parseLabel(query, target), style.labelFace, style.capitals);
  const { schema } = BADGE_PARAMETERS.base;
  return Object.freeze({
    ...(style.ignores.includes("numbers") ? PLAIN : parseNumberForm(query, target)),
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

const PLAIN: NumberForm = { numbers: "plain", locale: "en" };
