import { parseColor } from "./color.ts";
import { fontFamily } from "./font.ts";
import { type NumberForm, parseNumberForm } from "./number.ts";
import { label as labelParameter, type LookQuery, spark } from "./parameters.ts";
import type { Draw, Palette, Style, Theme } from "./styles/style.ts";
import { DEFAULT_STYLE, STYLES } from "./styles/styles.ts";
import { cleanText, type Line, setLine } from "./text.ts";

/** Everything about a badge but its message: resolved, safe and ready to draw with. */
export interface Look extends NumberForm {
  /** The label as plain text: clean, at most 100 characters and "…"; empty for no left side. */
  readonly label: string;
  readonly style: Style;
  readonly palette: Palette;
  /** The label, set in the style's face. */
  readonly line: Line;
  /** The style with its paint mixed. */
  readonly draw: Draw;
}

/** Resolves decoded query values; never throws, what is not understood falls back to its default. */
export function parseLook(query: LookQuery): Look {
  const style = parseStyle(query);
  const label = parseLabel(query);
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
    ...parseNumberForm(query),
    style,
    palette,
    line: setLine(label, style.labelFace, style.capitals),
    draw: style.painter(palette),
  });
}

/** The label that a query asks for, as plain text. */
export function parseLabel(query: LookQuery<"label">): string {
  return cleanText(query.get("label") ?? labelParameter.schema.default);
}

/** How many days a query wants to see as bars; 0 for none, and where the style has no room for them. */
export function sparkOf(query: LookQuery<"spark" | "style">): number {
  const text = query.get("spark");
  if (text === undefined || !/^\d+$/.test(text) || Number(text) === 0) return 0;
  const { minimum, maximum } = spark.schema;
  return parseStyle(query).bars ? Math.min(maximum, Math.max(minimum, Number(text))) : 0;
}

function parseStyle(query: LookQuery<"style">): Style {
  return STYLES.get(query.get("style") ?? "") ?? DEFAULT_STYLE;
}

/** Understands the `theme` parameter; anything else is none. */
export function parseTheme(text: string | undefined): Theme {
  return text === "auto" || text === "light" || text === "dark" ? text : "none";
}
