import { parseColor } from "../drawing/color.ts";
import { GREEN, parseTheme } from "../drawing/inks.ts";
import { parseDateLocale } from "../drawing/number.ts";
import {
  type Choices,
  nameParameters,
  parseLabel,
  SHARED_PARAMETERS,
  valueOf,
  wholeWithin,
} from "../drawing/parameters.ts";
import type { ImageFormat } from "../drawing/text.ts";
import { type Range, RANGES } from "./bars.ts";

const { range, kind, width, height, color, theme, numbers, goal } = nameParameters({
  range: {
    meaning:
      "30 or 90 days, 12 or 52 weeks, or 12 months up to today, with a bar for each. `all` " +
      "begins with the first known day, with at most 120 bars of a day, week, month or quarter.",
    schema: { type: "string", default: "30d", enum: ["30d", "90d", "12w", "52w", "12m", "all"] },
  },
  kind: {
    meaning: "`bars`, `area` (a line, filled below) or `total` (the count as it grew). Several " +
      "counters are lines, so `bars` is a 400 with them, and the default is `total`.",
    schema: { type: "string", default: "bars", enum: ["bars", "area", "total"] },
  },
  width: {
    meaning: "In pixels, clamped to the range.",
    schema: { type: "integer", default: 480, minimum: 240, maximum: 960 },
  },
  height: {
    meaning: "In pixels, clamped to the range.",
    schema: { type: "integer", default: 180, minimum: 120, maximum: 400 },
  },
  color: {
    meaning: "The color of the bars. Same values as for a badge. Several counters have their own.",
    schema: { type: "string", default: GREEN[0] },
  },
  theme: {
    ...SHARED_PARAMETERS.theme,
    meaning:
      "Draws a background. `auto` follows the color scheme of the reader. By default the background is " +
      "transparent, with colors that are readable on light and on dark pages.",
  },
  numbers: {
    ...SHARED_PARAMETERS.numbers,
    schema: { ...SHARED_PARAMETERS.numbers.schema, default: "grouped" },
  },
  goal: {
    ...SHARED_PARAMETERS.goal,
    meaning:
      "A count to reach. The number reads 640 / 1,000, above a bar that is filled to that share.",
  },
});

/** Everything that shapes a calendar, whose size is fixed; invalid values mean the default. */
export const PICTURE_PARAMETERS = [
  SHARED_PARAMETERS.label,
  color,
  numbers,
  SHARED_PARAMETERS.locale,
  theme,
] as const;

/** Everything that shapes a chart. */
export const CHART_PARAMETERS = [range, kind, width, height, ...PICTURE_PARAMETERS] as const;

/** Everything that shapes a card. */
export const CARD_PARAMETERS = [...PICTURE_PARAMETERS, goal] as const;

export type PictureName = (typeof PICTURE_PARAMETERS)[number]["name"];
export type ChartName = (typeof CHART_PARAMETERS)[number]["name"];
export type PictureQuery<Name extends string = PictureName> = Choices<Name>;

/** The common look of charts, calendars and cards, parsed and safe. */
export type PictureLook = ReturnType<typeof parsePictureLook>;

/** Everything about a chart but its figures: parsed and safe. */
export type ChartLook = ReturnType<typeof parseChartLook>;

/** The look of a chart whose first day is known. */
export type ShownLook = ChartLook & { readonly range: Range };

/** Parses the look of a chart. Invalid values fall back to the default. */
export function parseChartLook(query: PictureQuery<ChartName>, format?: ImageFormat) {
  const rangeName = valueOf(range, query.get("range"));
  const shown: Range | undefined = rangeName === "all" ? undefined : RANGES[rangeName];
  return Object.freeze({
    ...parsePictureLook(query, format),
    /** Undefined for everything since the first known day. */
    range: shown,
    kind: valueOf(kind, query.get("kind")),
    width: wholeWithin(query.get("width"), width.schema) ?? width.schema.default,
    height: wholeWithin(query.get("height"), height.schema) ?? height.schema.default,
  });
}

/** Parses the look of any picture. Invalid values fall back to the default. */
export function parsePictureLook(query: PictureQuery, format: ImageFormat = "svg") {
  return Object.freeze({
    format,
    /** Clean; empty for none. */
    label: parseLabel(query, format),
    theme: parseTheme(query.get("theme")),
    /** The color of bars, line or cells; undefined for the theme's own. */
    color: parseColor(query.get("color")),
    numbers: valueOf(numbers, query.get("numbers")),
    locale: parseDateLocale(query.get("locale"), format),
  });
}
