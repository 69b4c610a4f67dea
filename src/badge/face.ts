/** A font face at one size, reduced to what setting a line needs: how far each character moves the pen. */
export interface Face {
  /** Font size in pixels. */
  readonly em: number;
  /** Advance in pixels by code point; NaN where the table is silent. */
  readonly advances: Float64Array;
}

/** Makes a face from runs of advances: the first code point of a run, then hundredths of a pixel. */
export function makeFace(em: number, runs: readonly (readonly [number, string])[]): Face {
  const advances = new Float64Array(TABLE_END).fill(NaN);
  for (const [first, figures] of runs) {
    advances.set(figures.split(/\s+/).map((figure) => Number(figure) / 100), first);
  }
  return { em, advances };
}

/** Width in pixels of one grapheme cluster: an emoji family is one emoji wide, a mark has no width. */
export function clusterWidth(face: Face, cluster: string): number {
  const known = face.advances[cluster.charCodeAt(0)];
  if (cluster.length === 1 && known !== undefined && known === known) return known;
  if (EMOJI.test(cluster)) return EMOJI_EMS * face.em;
  let width = 0;
  for (const character of cluster) width += characterWidth(face, character);
  return width;
}

function characterWidth(face: Face, character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const known = face.advances[code];
  if (known !== undefined && known === known) return known;
  if (NO_WIDTH.test(character)) return 0;
  for (const [last, ems] of BLOCKS) {
    if (code <= last) return ems * face.em;
  }
  return face.em;
}

// Past the last figure of any table (U+2212).
const TABLE_END = 0x2213;

// What shields.io's tables give for an emoji: the width of "m".
const EMOJI_EMS = 0.973;
const EMOJI = /\p{Emoji_Presentation}|\p{Regional_Indicator}|[\ufe0f\u20e3]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

// Verdana has none of these scripts, so the reader sees a fallback font. The figures are rounded
// averages of common fallback fonts, in ems: the last code point of a stretch, and its advance.
const BLOCKS: readonly (readonly [number, number])[] = [
  [0x058f, 0.65], // Latin beyond the tables, IPA, Cyrillic, Armenian
  [0x05ff, 0.58], // Hebrew
  [0x08ff, 0.5], // Arabic, Syriac, Thaana
  [0x0dff, 0.62], // scripts of India
  [0x0eff, 0.58], // Thai, Lao
  [0x109f, 0.7], // Tibetan, Myanmar
  [0x10ff, 0.6], // Georgian
  [0x115f, 0.973], // Hangul consonants that lead a syllable
  [0x1fff, 0.65], // Ethiopic to Greek with accents
  [0x20ff, 0.5], // punctuation, superscripts, currency
  [0x2e7f, 0.8], // arrows, mathematics, boxes, dingbats
  [0xabff, 1], // Chinese, Japanese, Yi
  [0xd7ff, 0.973], // Hangul
  [0xfaff, 1], // private use, compatibility ideographs
  [0xfb4f, 0.58], // Hebrew presentation forms
  [0xfeff, 0.5], // Arabic presentation forms
  [0xff60, 1], // full-width forms
  [0xffdc, 0.5], // half-width kana
  [0x1ffff, 0.8], // historic scripts, mathematical letters, symbols
];
