import { type Color, parseColor } from "../badge/color.ts";
import { parseLabel, parseTheme } from "../badge/look.ts";
import { type NumberForm, parseLocale } from "../badge/number.ts";
import { GREEN } from "../badge/paint.ts";
import * as badge from "../badge/parameters.ts";
import { label, locale } from "../badge/parameters.ts";
import type { Theme } from "../badge/styles/style.ts";
import type { Parameter } from "../http/query.ts";
import { type Range, RANGES } from "./bars.ts";

const range = {
  name: "range",
  meaning: "30 or 90 days, 12 or 52 weeks, or 12 months up to today, with a bar for each. `all` " +
    "begins with the first known day, with at most 120 bars of a day, week, month or quarter.",
  schema: { type: "string", default: "30d", enum: ["30d", "90d", "12w", "52w", "12m", "all"] },
} as const satisfies Parameter;

const kind = {
  name: "kind",
  meaning: "`bars`, `area` (a line, filled below) or `total` (the count as it grew). Several " +
    "counters are lines, so `bars` is a 400 with them, and the default is `total`.",
  schema: { type: "string", default: "bars", enum: ["bars", "area", "total"] },
} as const satisfies Parameter;

const width = {
  name: "width",
  meaning: "In pixels, clamped to the range.",
  schema: { type: "integer", default: 480, minimum: 240, maximum: 960 },
} as const satisfies Parameter;

const height = {
  name: "height",
  meaning: "In pixels, clamped to the range.",
  schema: { type: "integer", default: 180, minimum: 120, maximum: 400 },
} as const satisfies Parameter;

const color = {
  name: "color",
  meaning: "The color of the bars. Same values as for a badge. Several counters have their own.",
  schema: { type: "string", default: GREEN[0] },
} as const satisfies Parameter;

const theme = {
  ...badge.theme,
  meaning:
    "Draws a background. `auto` follows the color scheme of the reader. By default the background is " +
    "transparent, with colors that are readable on light and on dark pages.",
} as const satisfies Parameter;

const numbers = {
  ...badge.numbers,
  schema: { ...badge.numbers.schema, default: "grouped" },
} as const satisfies Parameter;

const goal = {
  ...badge.goal,
  meaning:
    "A count to reach. The number reads 640 / 1,000, above a bar that is filled to that share.",
} as const satisfies Parameter;

/** Everything that shapes a chart; invalid values fall back to the default. */
export const CHART_PARAMETERS = Object.freeze(
  [range, kind, width, height, label, color, numbers, locale, theme] as const,
);

/** Everything that shapes a calendar or a card, whose sizes are fixed. */
export const PICTURE_PARAMETERS = Object.freeze([label, color, numbers, locale, theme] as const);

/** Everything that shapes a card. */
export const CARD_PARAMETERS = Object.freeze([...PICTURE_PARAMETERS, goal] as const);

export interface PictureQuery<Name extends string = (typeof PICTURE_PARAMETERS)[number]["name"]> {
  readonly get: (name: Name) => string | undefined;
}

export type ChartQuery = PictureQuery<(typeof CHART_PARAMETERS)[number]["name"]>;

/** The common look of charts, calendars and cards, parsed and safe. */
export interface PictureLook extends NumberForm {
  /** Clean; empty for none. */
  readonly label: string;
  readonly theme: Theme;
  /** The color of bars, line or cells; undefined for the theme's own. */
  readonly color: Color | undefined;
}

/** Everything about a chart but its figures: parsed and safe. */
export interface ChartLook extends PictureLook {
  /** Undefined for everything since the first known day. */
  readonly range: Range | undefined;
  readonly kind: (typeof kind.schema.enum)[number];
  readonly width: number;
  readonly height: number;
}

/** The look of a chart whose first day is known. */
export interface ShownLook extends ChartLook {
  readonly range: Range;
}

/** Never throws: invalid values fall back to the default. */
export function parseChartLook(query: ChartQuery): ChartLook {
  const rangeName = valueOf(range, query.get("range"));
  return Object.freeze({
    ...parsePictureLook(query),
    range: rangeName === "all" ? undefined : RANGES[rangeName],
    kind: valueOf(kind, query.get("kind")),
    width: parseLength(query.get("width"), width.schema),
    height: parseLength(query.get("height"), height.schema),
  });
}

export function parsePictureLook(query: PictureQuery): PictureLook {
  return Object.freeze({
    label: parseLabel(query),
    theme: parseTheme(query.get("theme")),
    color: parseColor(query.get("color")),
    numbers: valueOf(numbers, query.get("numbers")),
    locale: parseLocale(query.get("locale")),
  });
}

function parseLength(
  text: string | undefined,
  length: { readonly default: number; readonly minimum: number; readonly maximum: number },
): number {
  if (text === undefined || !/^\d+$/.test(text)) return length.default;
  return Math.min(length.maximum, Math.max(length.minimum, Number(text)));
}

/** One of a parameter's values; its default for anything else. */
function valueOf<Name extends string>(
  { schema }: { schema: { readonly enum: readonly Name[]; readonly default: Name } },
  text: string | undefined,
): Name {
  return schema.enum.find((name) => name === text) ?? schema.default;
}
