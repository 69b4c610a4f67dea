import {
  label,
  locale,
  numbers as badgeNumbers,
  theme as badgeTheme,
} from "../badge/parameters.ts";
import type { Parameter } from "../http/query.ts";

/** How far back the chart goes, and what one bar is. */
export const range = {
  name: "range",
  meaning: "30 or 90 days, 12 or 52 weeks, or 12 months up to today, with a bar for each.",
  schema: { type: "string", default: "30d", enum: ["30d", "90d", "12w", "52w", "12m"] },
} as const satisfies Parameter;

/** What is drawn. */
export const kind = {
  name: "kind",
  meaning: "`bars`, `area` (a line, filled below) or `total` (the count as it grew).",
  schema: { type: "string", default: "bars", enum: ["bars", "area", "total"] },
} as const satisfies Parameter;

/** The width of the picture. */
export const width = {
  name: "width",
  meaning: "In pixels, clamped to the range.",
  schema: { type: "integer", default: 480, minimum: 240, maximum: 960 },
} as const satisfies Parameter;

/** The height of the picture. */
export const height = {
  name: "height",
  meaning: "In pixels, clamped to the range.",
  schema: { type: "integer", default: 180, minimum: 120, maximum: 400 },
} as const satisfies Parameter;

/** The color of the bars. */
export const color = {
  name: "color",
  meaning: "The color of the bars. Same values as for a badge.",
  schema: { type: "string", default: "#2f81f7" },
} as const satisfies Parameter;

/** The page to stand on. */
export const theme = {
  ...badgeTheme,
  meaning:
    "Draws a background. `auto` follows the color scheme of the reader. By default the background is " +
    "transparent, with colors that are readable on light and on dark pages.",
} as const satisfies Parameter;

/** How the numbers above the chart are written. */
export const numbers = {
  ...badgeNumbers,
  schema: { ...badgeNumbers.schema, default: "grouped" },
} as const satisfies Parameter;

/** Everything that shapes a chart; what is not understood falls back to its default. */
export const CHART_LOOKS = Object.freeze(
  [range, kind, width, height, label, color, numbers, locale, theme] as const,
);

/** Everything that shapes a calendar or a card, whose sizes are fixed. */
export const PICTURE_LOOKS = Object.freeze([label, color, numbers, locale, theme] as const);

/** The values that a request gives to parameters that shape a chart. */
export interface ChartQuery {
  readonly get: (name: (typeof CHART_LOOKS)[number]["name"]) => string | undefined;
}

/** The values that a request gives to parameters that shape a calendar or a card. */
export interface PictureQuery {
  readonly get: (name: (typeof PICTURE_LOOKS)[number]["name"]) => string | undefined;
}
