import type { Color } from "../badge/color.ts";
import { VERDANA } from "../badge/face.ts";
import { escape } from "../badge/text.ts";
import type { PictureLook } from "./look.ts";

/** The paint of a picture, as markup ready for a template. */
export interface Paint {
  /** A style element for readers of dark pages, or nothing. */
  readonly css: string;
  /** The panel behind everything, or nothing. */
  readonly panel: string;
  /** Attributes for words, lines and bars. */
  readonly words: string;
  readonly lines: string;
  readonly bars: string;
  /** Attributes for a dot on a line. */
  readonly dot: string;
  /** Attributes for the words that matter most; empty without a theme. */
  readonly strong: string;
  /** The color of the ground below a line, which is nearly transparent. */
  readonly tint: Color;
}

/** The size of a picture and the radius of its corners, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
  readonly radius?: number;
}

/** Fills in what the caller left out. Without a theme the ground stays that of the page, light or dark. */
export function paintOf(
  { theme, color }: PictureLook,
  { width, height, radius = 8 }: Size,
): Paint {
  const themed = theme === "dark" ? DARK : LIGHT;
  const ground = theme === "none" ? ANY : themed;
  const auto = theme === "auto";
  const name = (letter: string) => auto ? `class="${letter}" ` : "";
  const panel = `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="${radius}" ` +
    `${name("a")}fill="${ground.panel}" stroke="${ground.border}"/>`;
  return {
    css: auto ? darkRules(color) : "",
    panel: theme === "none" ? "" : panel,
    words: `${name("b")}fill="${ground.words}"`,
    lines: `${name("c")}stroke="${ground.words}"`,
    bars: `${name("d")}stroke="${color ?? ground.bars}"`,
    // A ring of the ground sets a dot apart from its line.
    dot: `${name("e")}fill="${color ?? ground.bars}"` +
      (theme === "none" ? "" : ` stroke="${ground.panel}"`),
    strong: theme === "none" ? "" : `${name("f")}fill="${themed.strong}"`,
    tint: color ?? ANY.bars,
  };
}

function darkRules(color: Color | undefined): string {
  const chosen = color !== undefined;
  return `<style>@media(prefers-color-scheme:dark){` +
    `.a{fill:${DARK.panel};stroke:${DARK.border}}.b{fill:${DARK.words}}` +
    `.c{stroke:${DARK.words}}.f{fill:${DARK.strong}}` +
    (chosen ? "" : `.d{stroke:${DARK.bars}}`) +
    `.e{${chosen ? "" : `fill:${DARK.bars};`}stroke:${DARK.panel}}}</style>`;
}

interface Ground {
  readonly panel: Color;
  readonly border: Color;
  readonly words: Color;
  readonly strong: Color;
  readonly bars: Color;
}

/** Can be seen on white and on GitHub's dark; the panel is not drawn. */
const ANY: Omit<Ground, "strong"> = {
  panel: "#fff",
  border: "#fff",
  words: "#6e7781",
  bars: "#2f81f7",
};
export const LIGHT: Ground = {
  panel: "#fff",
  border: "#d1d9e0",
  words: "#59636e",
  strong: "#1f2328",
  bars: "#0969da",
};
export const DARK: Ground = {
  panel: "#0d1117",
  border: "#3d444d",
  words: "#9198a1",
  strong: "#f0f6fc",
  bars: "#4493f8",
};

/** What stands in the SVG document of a picture, beside its size. */
interface Document {
  /** What it shows, and the same at length, for those who do not see it. */
  readonly title: string;
  readonly description: string;
  readonly paint: Paint;
  /** Style elements and what lies below the words; may be left out. */
  readonly ground?: string;
  /** Drawn in the ink and the face of words. */
  readonly words: string;
  /** What lies above the words; may be left out. */
  readonly above?: string;
}

/** Puts a drawing into an SVG document. */
export function frame(
  { width, height }: Size,
  { title, description, paint, ground = "", words, above = "" }: Document,
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" role="img"><title>${escape(title)}</title>` +
    `<desc>${escape(description)}</desc>${paint.css}${paint.panel}${ground}` +
    `<g text-anchor="middle" font-family="${VERDANA}" text-rendering="geometricPrecision" ${paint.words}>` +
    `${words}</g>${above}</svg>`;
}
