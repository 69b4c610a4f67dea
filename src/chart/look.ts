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

/** The paint of a chart, as markup ready for a template. */
export interface ChartPaint {
  /** A style element for readers of dark pages, or nothing. */
  readonly css: string;
  /** The panel behind everything, or nothing. */
  readonly panel: string;
  /** Attributes for words, lines and bars. */
  readonly words: string;
  readonly lines: string;
  readonly bars: string;
}

/** Fills in what the caller left out. Without a theme the ground stays that of the page, light or dark. */
export function chartPaint({ theme, color, width, height }: ChartLook): ChartPaint {
  const ground = theme === "dark" ? DARK : theme === "none" ? ANY : LIGHT;
  const auto = theme === "auto";
  const name = (letter: string) => auto ? `class="${letter}" ` : "";
  const panel = `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6" ` +
    `${name("a")}fill="${ground.panel}" stroke="${ground.border}"/>`;
  return {
    css: auto ? darkRules(color) : "",
    panel: theme === "none" ? "" : panel,
    words: `${name("b")}fill="${ground.words}"`,
    lines: `${name("c")}stroke="${ground.words}"`,
    bars: `${name("d")}stroke="${color ?? ground.bars}"`,
  };
}

function darkRules(color: Color | undefined): string {
  const bars = color === undefined ? `.d{stroke:${DARK.bars}}` : "";
  return `<style>@media(prefers-color-scheme:dark){` +
    `.a{fill:${DARK.panel};stroke:${DARK.border}}.b{fill:${DARK.words}}` +
    `.c{stroke:${DARK.words}}${bars}}</style>`;
}

interface Ground {
  readonly panel: Color;
  readonly border: Color;
  readonly words: Color;
  readonly bars: Color;
}

/** Can be seen on white and on GitHub's dark; the panel is not drawn. */
const ANY: Ground = { panel: "#fff", border: "#fff", words: "#6e7781", bars: "#2f81f7" };
const LIGHT: Ground = { panel: "#fff", border: "#d1d9e0", words: "#59636e", bars: "#0969da" };
const DARK: Ground = { panel: "#0d1117", border: "#3d444d", words: "#9198a1", bars: "#2f81f7" };
