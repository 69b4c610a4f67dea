import { parseColor } from "./color.ts";
import { fontFamily } from "./font.ts";
import { type Numbers, parseLocale, parseNumbers } from "./number.ts";
import type { Draw, Palette, Style, Theme } from "./styles/style.ts";
import { DEFAULT_STYLE, STYLES } from "./styles/styles.ts";
import { cleanText, type Line, setLine } from "./text.ts";

/** The query parameters that shape a badge. */
export const LOOK_PARAMETERS: readonly string[] = Object.freeze([
  "label",
  "style",
  "color",
  "bg",
  "labelColor",
  "valueColor",
  "font",
  "numbers",
  "locale",
  "theme",
]);

/** Everything about a badge but its message: resolved, safe and ready to draw with. */
export interface Look {
  /** The label as plain text: clean, at most 100 characters and "…", never empty. */
  readonly label: string;
  readonly numbers: Numbers;
  /** A BCP 47 tag; "en" unless numbers are grouped or compact. */
  readonly locale: string;
  readonly style: Style;
  readonly palette: Palette;
  /** The label, set in the style's face. */
  readonly line: Line;
  /** The style with its paint mixed. */
  readonly draw: Draw;
}

/** Resolves decoded query values; never throws, what is not understood falls back to its default. */
export function parseLook(query: ReadonlyMap<string, string>): Look {
  const style = STYLES.get(query.get("style") ?? "") ?? DEFAULT_STYLE;
  const label = cleanText(query.get("label") ?? "") || DEFAULT_LABEL;
  const numbers = parseNumbers(query.get("numbers"));
  const palette: Palette = Object.freeze({
    theme: parseTheme(query.get("theme")),
    failed: false,
    bg: parseColor(query.get("bg")),
    color: parseColor(query.get("color")),
    labelColor: parseColor(query.get("labelColor")),
    valueColor: parseColor(query.get("valueColor")),
    font: fontFamily(query.get("font"), style.font),
  });
  return Object.freeze({
    label,
    numbers,
    locale: numbers === "plain" ? "en" : parseLocale(query.get("locale")),
    style,
    palette,
    line: setLine(label, style.labelFace, style.capitals),
    draw: style.painter(palette),
  });
}

const DEFAULT_LABEL = "views";

function parseTheme(text: string | undefined): Theme {
  return text === "auto" || text === "light" || text === "dark" ? text : "none";
}
