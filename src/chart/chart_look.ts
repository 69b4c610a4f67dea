import { type Color, parseColor } from "../badge/color.ts";
import { parseLabel, parseTheme } from "../badge/look.ts";
import { parseLocale } from "../badge/locale.ts";
import { type NumberForm, parseNumbers } from "../badge/number.ts";
import type { Theme } from "../badge/styles/style.ts";
import { type ChartQuery, height, numbers, width } from "./parameters.ts";
import { parseRange, type Range } from "./range.ts";

/** Everything about a chart but its figures: resolved and safe. */
export interface ChartLook extends NumberForm {
  /** Clean; empty for none. */
  readonly label: string;
  readonly range: Range;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  /** Of the bars; undefined for the theme's own. */
  readonly color: Color | undefined;
}

/** Resolves decoded query values; never throws, what is not understood falls back to its default. */
export function parseChartLook(query: ChartQuery): ChartLook {
  return Object.freeze({
    label: parseLabel(query),
    range: parseRange(query.get("range")),
    width: parseLength(query.get("width"), width.schema),
    height: parseLength(query.get("height"), height.schema),
    theme: parseTheme(query.get("theme")),
    color: parseColor(query.get("color")),
    numbers: parseNumbers(query.get("numbers"), numbers.schema.default),
    locale: parseLocale(query.get("locale")),
  });
}

interface Length {
  readonly default: number;
  readonly minimum: number;
  readonly maximum: number;
}

function parseLength(text: string | undefined, length: Length): number {
  if (text === undefined || !/^\d+$/.test(text)) return length.default;
  return Math.min(length.maximum, Math.max(length.minimum, Number(text)));
}
