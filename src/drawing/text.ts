import { clusterWidth, type Face } from "./face.ts";

/** A line of text ready for an SVG: safe as content and as an attribute, and measured. */
export interface Line {
  /** Escaped, as a screen reader should say it. */
  readonly spoken: string;
  /** Escaped, as it is drawn (perhaps in capitals). */
  readonly drawn: string;
  readonly rightToLeft: boolean;
  /** Attributes of direction and fitting, each with a leading space. Empty for most lines. */
  readonly attributes: string;
  /** Sum of the advances, in pixels. */
  readonly width: number;
  /** Characters (grapheme clusters) that may be spaced apart: none where letters join. */
  readonly spaced: number;
}

/** Most characters (grapheme clusters) that a badge shows of a text; the rest becomes "…". */
const MAX_CHARACTERS = 100;

/**
 * Removes characters that XML 1.0 forbids or that a badge must not hold, trims and cuts the text.
 */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) {
    return text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) + "…" : text;
  }
  const clean = text.slice(0, MAX_UNITS).replace(BLANKS, " ").replace(FORBIDDEN, "").trim();
  let kept = "";
  let count = 0;
  for (const { segment } of graphemes(clean)) {
    if (count++ === MAX_CHARACTERS) return kept + "…";
    kept += segment.slice(0, CLUSTER_UNITS).replace(FORBIDDEN, "");
  }
  return kept;
}

/** Form in which an image is sent. PNGs are drawn with DejaVu Sans, which lacks many scripts. */
export type ImageFormat = "svg" | "png";

/** Reports whether the fonts of PNGs have the script of every letter. */
export function isDrawable(text: string): boolean {
  return !OTHER_LETTER.test(text);
}

const OTHER_LETTER =
  /(?![\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}\p{sc=Armn}\p{sc=Geor}\p{sc=Zyyy}])\p{L}/u;

/** Returns a clean text. Returns "" in a PNG if its fonts lack a letter of it. */
export function textFor(format: ImageFormat, text: string): string {
  return format === "png" && !isDrawable(text) ? "" : cleanText(text);
}

/** Position and length of a text in units of its parent. Attributes have a leading space each. */
export interface TextAt {
  /** The left end. */
  readonly x: number;
  /** The baseline. By default that of badges of 20 pixels. */
  readonly y?: number;
  readonly length: number;
  /** Attributes of its color; inherited from the drawing around it if left out. */
  readonly ink?: string;
  /** Attributes before and after `textLength`. */
  readonly font?: string;
  readonly more?: string;
}

/** Draws a text in the given length, whatever font the reader has. Returns "" for an empty line. */
export function drawText(
  { drawn, attributes, rightToLeft }: Line,
  { x, y = 14, length, ink = "", font = "", more = "" }: TextAt,
): string {
  if (drawn === "") return "";
  // Renderers disagree on where such a text starts, and agree on its middle.
  const left = rightToLeft ? tenth(x + length / 2) : x;
  return `<text x="${left}" y="${y}"${font} textLength="${length}"${more}${attributes}${ink}>${drawn}</text>`;
}

/** Rounds a length to a tenth of a pixel, the finest difference that readers see. */
export function tenth(length: number): number {
  return Math.round(length * 10) / 10;
}

/** Escapes and measures a clean text. */
export function setLine(text: string, face: Face, capitals = false): Line {
  const shown = capitals ? text.toUpperCase() : text;
  // A renderer draws runs of spaces as one space; spaces that do not break stay.
  const drawn = escape(shown.includes("  ") ? shown.replace(/ (?= )/g, "\u00a0") : shown);
  const spoken = escape(text);
  const width = asciiWidth(shown, face);
  if (!Number.isNaN(width)) {
    return { spoken, drawn, rightToLeft: false, attributes: "", width, spaced: shown.length };
  }
  const rightToLeft = RIGHT_TO_LEFT.test(text);
  const widths = Array.from(graphemes(shown), ({ segment }) => clusterWidth(face, segment));
  return {
    spoken,
    drawn,
    rightToLeft,
    // Firefox spaces right-to-left text in the wrong direction. Spacing separates joined letters.
    attributes: (rightToLeft ? ' direction="rtl" text-anchor="middle"' : "") +
      (SCALED.test(text) ? ' lengthAdjust="spacingAndGlyphs"' : ""),
    width: widths.reduce((sum, width) => sum + width, 0),
    spaced: JOINED.test(shown) ? 0 : widths.length,
  };
}

/** Returns the width in pixels, or NaN if a character is not ASCII. */
function asciiWidth(text: string, face: Face): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7e) return NaN;
    width += face.advances[code] ?? NaN;
  }
  return width;
}

/** Makes a clean text safe as content and as an attribute. */
export function escape(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(
    SPECIALS,
    (character) => NAMES.get(character) ?? `&#${character.charCodeAt(0)};`,
  );
}

// Made at the first text that needs it: most never do, and a cold start should not pay.
let segmenter: Intl.Segmenter | undefined;

/** Returns the characters of a text as people count them. */
export function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

// The longest emoji in use has 15 units; marks can be piled on one letter without end.
const CLUSTER_UNITS = 32;
const MAX_UNITS = (MAX_CHARACTERS + 1) * CLUSTER_UNITS;

/** Printable ASCII without a space at either end. Each character is one unit. */
const PLAIN = /^(?! )[ -~]*(?<! )$/;
const BLANKS = /[\t\n\r\u2028\u2029]/g;

// Controls, lone surrogates and noncharacters; and the direction overrides, which would turn around
// the count that follows a label in the title.
const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu;

// Characters of XML markup, and those of references and handlers, so that filters which search
// without parsing find none.
const SPECIAL = /[&<>"'=@]|url\(/i;
const SPECIALS = /[&<>"'=@]|(?<=url)\(/gi;
const NAMES = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"]]);

// Scripts whose letters touch: Arabic, Syriac, N'Ko, Mongolian, and those that hang from a line.
const JOINED = /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Nkoo}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}]/u;

// The first letter of the text decides, as in the Unicode bidirectional algorithm.
const RIGHT_TO_LEFT =
  /^\P{L}*(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
// Letters that run from right to left or touch each other; digits of the same scripts do neither.
const SCALED =
  /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}]/u;
