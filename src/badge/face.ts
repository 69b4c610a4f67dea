/** A font face at one size: how far each character moves the pen. */
export interface Face {
  /** Font size in pixels. */
  readonly em: number;
  /** Advance of an emoji in pixels. */
  readonly emoji: number;
  /** Advance in pixels by code point; NaN where the table is silent. */
  readonly advances: Float64Array;
}

/** The size of a face, and its runs of advances: a first code point, then hundredths of a pixel. */
export interface FaceFigures {
  readonly em: number;
  readonly emoji: number;
  readonly runs: readonly (readonly [first: number, figures: string])[];
}

/** Spreads the figures of a face out into a table by code point. */
export function makeFace({ em, emoji, runs }: FaceFigures): Face {
  const advances = new Float64Array(TABLE_END).fill(NaN);
  for (const [first, figures] of runs) {
    advances.set(figures.split(/\s+/).map((figure) => Number(figure) / 100), first);
  }
  return { em, emoji, advances };
}

/** Pixels that a grapheme cluster takes: a family of emoji is one emoji, a mark takes nothing. */
export function clusterWidth(face: Face, cluster: string): number {
  const known = face.advances[cluster.charCodeAt(0)] ?? NaN;
  if (cluster.length === 1 && !Number.isNaN(known)) return known;
  if (EMOJI.test(cluster)) return face.emoji;
  let width = 0;
  for (const character of cluster) width += characterWidth(face, character);
  return width;
}

function characterWidth(face: Face, character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const known = face.advances[code] ?? NaN;
  if (!Number.isNaN(known)) return known;
  if (NO_WIDTH.test(character)) return 0;
  for (const [last, ems] of BLOCKS) {
    if (code <= last) return ems * face.em;
  }
  return face.em;
}

// Past the last figure of any table (U+2212).
const TABLE_END = 0x2213;

const EMOJI = /\p{Emoji_Presentation}|\p{Regional_Indicator}|[\ufe0f\u20e3]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

// The faces here have none of these scripts, so the reader sees a fallback font. The last code
// point of a stretch, and its advance in ems: averages of usual words in DejaVu Sans and Noto Sans.
const BLOCKS: readonly (readonly [number, number])[] = [
  [0x02ff, 0.57], // Latin beyond the tables, phonetic letters
  [0x058f, 0.62], // Greek and Cyrillic beyond the tables, Armenian
  [0x05ff, 0.52], // Hebrew
  [0x065f, 0.5], // Arabic
  [0x0669, 0.55], // its digits
  [0x06ef, 0.5], // Arabic, Persian
  [0x06f9, 0.55], // Persian digits
  [0x08ff, 0.5], // Syriac, Thaana, N'Ko
  [0x097f, 0.6], // Devanagari
  [0x0b7f, 0.5], // Bengali, Gurmukhi, Gujarati, Oriya
  [0x0bff, 0.8], // Tamil
  [0x0cff, 0.51], // Telugu, Kannada
  [0x0dff, 0.8], // Malayalam, Sinhala
  [0x0e7f, 0.52], // Thai
  [0x0eff, 0.6], // Lao
  [0x0fff, 0.5], // Tibetan
  [0x109f, 0.67], // Myanmar
  [0x10ff, 0.56], // Georgian
  [0x115f, 0.973], // Hangul consonants that lead a syllable
  [0x177f, 0.65], // Ethiopic, Cherokee, Canadian syllabics
  [0x17ff, 0.48], // Khmer
  [0x1fff, 0.62], // Mongolian to Greek with accents
  [0x20ff, 0.45], // punctuation, superscripts, currency
  [0x2e7f, 0.8], // arrows, mathematics, boxes, dingbats
  [0x303f, 1], // radicals and punctuation of Chinese and Japanese
  [0x30ff, 0.973], // kana, as shields.io has them
  [0xabff, 1], // Chinese, Japanese, Yi
  [0xd7ff, 0.973], // Hangul
  [0xfaff, 1], // private use, compatibility ideographs
  [0xfb4f, 0.52], // Latin ligatures, Hebrew presentation forms
  [0xfeff, 0.5], // Arabic presentation forms
  [0xff60, 1], // full-width forms
  [0xffdc, 0.5], // half-width kana
  [0x1ffff, 0.8], // historic scripts, mathematical letters, symbols
];

/**
 * A monospace face at 12 px: 0.6 em a character, as in DejaVu Sans Mono, Liberation Mono, Menlo and
 * SF Mono to within 0.3 %. Other scripts come from fallback fonts; an emoji takes two cells.
 */
export const monospace12 = makeFace({
  em: 12,
  emoji: 14.4,
  runs: [
    [0x20, cells(0x7f - 0x20)],
    [0xa0, cells(0x180 - 0xa0)],
    [0x386, cells(0x460 - 0x386)],
    [0x2010, cells(0x203b - 0x2010)],
  ],
});

function cells(count: number): string {
  return Array<string>(count).fill("720").join(" ");
}
