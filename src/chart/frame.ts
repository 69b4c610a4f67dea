import { VERDANA } from "../drawing/face.ts";
import { GREEN, type Ink, Inks } from "../drawing/inks.ts";
import { escape } from "../drawing/text.ts";
import type { PictureLook } from "./look.ts";

/** The inks of a picture, as markup ready for a template. Each attribute has a leading space. */
export type PictureInks = ReturnType<typeof inksOf>;

/** The size of a picture and the radius of its corners, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
  readonly radius?: number;
}

/**
 * Fills in the colors that were not chosen. Without a theme, a picture has no ground. The style
 * element has rules only for what was read before.
 */
export function inksOf(
  { theme, color }: PictureLook,
  { width, height, radius = 8 }: Size,
) {
  const themed = theme !== "none";
  // A picture without a theme has one color for all readers.
  const inks = new Inks(themed ? theme : "light");
  const { panel, border } = COLORS;
  const words = themed ? COLORS.words : ANY.words;
  const bars = color ?? (themed ? COLORS.bars : ANY.bars);
  const rect = `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="${radius}"`;
  return {
    /** The panel behind everything, or nothing. */
    panel: themed ? `${rect}${inks.attributes({ fill: panel, stroke: border })}/>` : "",
    words: inks.fill(words),
    get lines() {
      return inks.stroke(words);
    },
    /** Attributes of the words that matter most. */
    strong: themed ? inks.fill(COLORS.strong) : "",
    get bars() {
      return inks.stroke(bars);
    },
    /** A ring of the ground sets a dot apart from its line. */
    get dot() {
      return themed ? inks.attributes({ fill: bars, stroke: panel }) : inks.fill(bars);
    },
    /** Makes inks that only some pictures have. "" without a theme. */
    accent: (property: "fill" | "stroke", ink: Ink) =>
      themed ? inks.attributes({ [property]: ink }) : "",
    /** Color of the ground below a line, which is nearly transparent. */
    tint: color ?? ANY.bars,
    css: () => inks.css(),
  };
}

/** Legible on white and on GitHub's dark. */
const ANY = { words: "#6e7781", bars: GREEN[0] } as const;

export const COLORS = {
  panel: ["#fff", "#0d1117"],
  border: ["#d1d9e0", "#3d444d"],
  words: ["#59636e", "#9198a1"],
  strong: ["#1f2328", "#f0f6fc"],
  bars: GREEN,
} as const;

/** The content of the SVG document of a picture. */
interface Document {
  /** Its content for readers who do not see it, in a few words and in sentences. */
  readonly title: string;
  readonly description: string;
  readonly inks: PictureInks;
  /** Style elements and drawings below the words. */
  readonly ground?: string;
  /** Drawn in the ink and the face of words. */
  readonly words: string;
  /** Drawings above the words. */
  readonly above?: string;
}

/** Puts a drawing into an SVG document. */
export function frame(
  { width, height }: Size,
  { title, description, inks, ground = "", words, above = "" }: Document,
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" role="img"><title>${escape(title)}</title>` +
    `<desc>${escape(description)}</desc>${inks.css()}${inks.panel}${ground}` +
    `<g font-family="${VERDANA}" text-rendering="geometricPrecision"${inks.words}>` +
    `${words}</g>${above}</svg>`;
}
