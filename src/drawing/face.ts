/** A font face at one size: how far each character moves the pen. */
export interface Face {
  /** Font size in pixels. */
  readonly em: number;
  /** Advance of an emoji in pixels. */
  readonly emoji: number;
  /** Factor by which letters of fallback fonts are wider in the weight of this face. */
  readonly boldness: number;
  /** Advance in pixels by code point; NaN if the tables have none. */
  readonly advances: Float64Array;
}

/** The advances of a typeface, in its own units, of which `unitsPerEm` are its font size. */
export interface Typeface {
  readonly unitsPerEm: number;
  readonly emoji: number;
  readonly isBold?: true;
  /** A code point such as U+0020, the advances of it and those that follow, and so on. */
  readonly advances: string;
}

/** Returns the face of a size in pixels. Rounds its advances to hundredths of a pixel. */
export function makeFace({ unitsPerEm, emoji, isBold, advances }: Typeface, em: number): Face {
  const pixels = (units: number) => Math.round(100 * units * em / unitsPerEm) / 100;
  const table = new Float64Array(TABLE_END).fill(NaN);
  let codePoint = 0;
  for (const item of advances.split(/\s+/)) {
    if (item.startsWith("U+")) codePoint = parseInt(item.slice(2), 16);
    else table[codePoint++] = pixels(Number(item));
  }
  return { em, emoji: pixels(emoji), boldness: isBold ? BOLDNESS : 1, advances: table };
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
    if (code <= last) return ems * face.em * (code < CJK ? face.boldness : 1);
  }
  return face.em;
}

// Bold words in Arabic, Hebrew, Georgian and Lao are 8 to 21 % wider in DejaVu Sans. Ideographs are
// not.
const BOLDNESS = 1.15;
const CJK = 0x2e80;

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
  unitsPerEm: 10,
  emoji: 12,
  advances: [[0x20, 0x7e], [0xa0, 0x17f], [0x386, 0x45f], [0x2010, 0x203a]]
    .map(([first = 0, last = 0]) => `U+${first.toString(16)}${" 6".repeat(last - first + 1)}`)
    .join(" "),
}, 12);

/** The families that shields.io's badges are set in. */
export const VERDANA = "Verdana,Geneva,DejaVu Sans,sans-serif";

/**
 * Verdana regular. Its widths and those of the bold face are as shields.io publishes them for 10
 * and 11 px, measured in a browser that has the font. A character that its tables lack, such as
 * U+00FF, and an emoji have the width of "m".
 */
const verdana: Typeface = {
  unitsPerEm: 2048,
  emoji: 1992,
  advances:
    `U+0020 720 806 940 1675 1302 2204 1488 550 930 930 1302 1675 745 930 745 930 1302 1302 1302
    1302 1302 1302 1302 1302 1302 1302 930 930 1675 1675 1675 1117 2048 1400 1404 1429 1578 1295
    1177 1588 1539 862 931 1419 1140 1726 1532 1612 1234 1612 1424 1400 1262 1499 1400 2025 1403
    1260 1403 930 930 930 1675 1302 1302 1230 1275 1066 1275 1220 720 1275 1296 562 705 1212 562
    1992 1296 1243 1275 1275 874 1066 806 1296 1212 1675 1212 1212 1076 1300 930 1300 1675 U+00A0
    720 806 1302 1302 1302 1302 930 1302 1302 2048 1117 1320 1675 0 2048 1302 1109 1675 1109 1109
    1302 1314 1302 745 1302 1109 1117 1320 2048 2048 2048 1117 1400 1400 1400 1400 1400 1400 2016
    1429 1295 1295 1295 1295 862 862 862 862 1588 1532 1612 1612 1612 1612 1612 1675 1612 1499 1499
    1499 1499 1260 1240 1269 1230 1230 1230 1230 1230 1230 1956 1066 1220 1220 1220 1220 562 562
    562 562 1253 1296 1243 1243 1243 1243 1243 1675 1243 1296 1296 1296 1296 1212 1275 1992 1400
    1230 1400 1230 1400 1230 1429 1066 1429 1066 1429 1066 1429 1066 1578 1325 1588 1275 1295 1220
    1295 1220 1295 1220 1295 1220 1295 1220 1588 1275 1588 1275 1588 1275 1588 1275 1539 1296 1539
    1296 862 562 862 562 862 562 862 562 862 562 1783 1257 931 705 1419 1212 1212 1140 562 1140 562
    1140 606 1140 938 1150 582 1532 1296 1532 1296 1532 1296 1496 1532 1296 1612 1243 1612 1243
    1612 1243 2191 2010 1424 874 1424 874 1424 874 1400 1066 1400 1066 1400 1066 1400 1066 1262 806
    1262 806 1262 806 1499 1296 1499 1296 1499 1290 1499 1296 1499 1296 1499 1290 2025 1675 1260
    1212 1260 1403 1076 1403 1076 1403 1076 1992 U+02BC 1992 U+0386 1400 930 1538 1781 1105 2048
    1804 2048 1543 1859 562 1400 1404 1159 1439 1295 1403 1539 1612 862 1419 1404 1726 1532 1329
    1612 1539 1234 2048 1377 1262 1260 1677 1403 1783 1675 862 1260 1275 1050 1296 562 1292 1275
    1269 1212 1245 1050 937 1296 1277 562 1212 1212 1310 1212 1030 1243 1305 1280 1040 1290 1016
    1292 1617 1208 1683 1666 562 1292 1243 1292 1666 U+0401 1295 1623 1159 1435 1400 862 862 931
    2290 2258 1675 1419 1537 1260 1539 1400 1404 1404 1159 1527 1295 1992 1261 1537 1537 1419 1504
    1726 1539 1612 1539 1234 1429 1262 1260 1677 1403 1558 1458 2109 2140 1604 1884 1394 1435 2118
    1446 1230 1258 1218 964 1273 1220 1634 1074 1310 1310 1212 1271 1426 1305 1243 1305 1275 1094
    1016 1212 1722 1212 1320 1240 1794 1818 1312 1627 1169 1120 1718 1228 1220 1220 1296 964 1120
    1066 562 562 705 1871 1871 1296 1212 1310 1212 1305 U+0490 1159 964 U+1EA0 1400 1230 1400 1230
    1400 1230 1400 1230 1400 1230 1400 1230 1400 1230 1400 1230 1400 1230 1400 1230 1400 1230 1400
    1230 1295 1220 1295 1220 1295 1220 1295 1220 1295 1220 1295 1220 1295 1220 1295 1220 862 562
    862 562 1612 1243 1612 1243 1612 1243 1612 1243 1612 1243 1612 1243 1612 1243 1652 1243 1652
    1243 1652 1243 1652 1243 1652 1243 1499 1296 1499 1296 1549 1351 1549 1351 1549 1351 1549 1351
    1549 1351 1260 1212 1260 1212 1260 1212 1260 1212 U+2010 1185 1185 1302 1302 2048 2048 575 1302
    550 550 550 550 940 940 940 940 1302 1302 1117 962 683 1365 1675 U+2030 3116 2776 739 1141 1141
    666 1109 1554 722 930 930 U+20AB 1275 1302 U+2116 2400 U+2122 2000 U+2212 1675`,
};

export const verdana11 = makeFace(verdana, 11);
export const verdana10 = makeFace(verdana, 10);

export const verdanaBold10 = makeFace({
  unitsPerEm: 1000,
  emoji: 1058,
  isBold: true,
  advances:
    `U+0020 342 402 587 867 711 1272 862 332 543 543 711 867 361 480 361 689 711 711 711 711 711 711
    711 711 711 711 402 402 867 867 867 617 964 776 762 724 830 683 650 811 837 546 555 771 637 948
    847 850 733 850 782 710 682 812 764 1128 764 737 692 543 689 543 867 711 711 668 699 588 699
    664 422 699 712 342 403 671 342 1058 712 687 699 699 497 593 456 712 650 979 669 651 597 711
    543 711 867 U+00A0 342 402 711 711 711 711 543 711 711 964 598 850 867 0 964 711 587 867 598
    598 711 721 711 361 711 598 598 850 1182 1182 1182 617 776 776 776 776 776 776 1094 724 683 683
    683 683 546 546 546 546 830 847 850 850 850 850 850 867 850 812 812 812 812 737 735 713 668 668
    668 668 668 668 1018 588 664 664 664 664 342 342 342 342 679 712 687 687 687 687 687 867 687
    712 712 712 712 651 699 1058 776 668 776 668 776 668 724 588 724 588 724 588 724 588 830 880
    830 699 683 664 683 664 683 664 683 664 683 664 811 699 811 699 811 699 811 699 837 712 837 712
    546 342 546 342 546 342 546 342 546 342 1007 728 555 403 771 671 671 637 342 637 342 637 522
    637 557 642 352 847 712 847 712 847 712 825 847 712 850 687 850 687 850 687 1135 1068 782 497
    782 497 782 497 710 593 710 593 710 593 710 593 682 456 682 465 682 456 812 712 812 712 812 712
    812 712 812 712 812 712 1128 979 737 651 737 692 597 692 597 692 597 1058 U+02BC 1058 U+0386
    797 402 848 1001 705 1000 968 1000 939 970 342 776 762 637 806 683 692 837 850 546 771 776 948
    847 715 850 837 733 1000 684 682 737 952 764 976 844 546 737 699 585 712 342 706 699 716 651
    687 585 549 712 700 342 671 651 721 650 581 687 720 699 562 726 535 706 915 635 941 894 342 706
    687 706 894 U+0401 683 911 637 742 710 546 546 555 1222 1214 936 771 846 737 837 776 758 762
    637 841 683 1115 707 846 846 771 845 948 837 850 837 733 724 682 737 952 764 850 787 1164 1177
    907 1063 758 742 1195 795 668 697 677 531 691 664 999 588 720 720 671 709 830 720 687 720 699
    598 535 651 966 669 729 684 1002 1013 743 937 649 606 994 682 664 664 712 531 605 593 342 342
    403 1012 1020 712 671 720 651 720 U+0490 637 531 U+1EA0 776 668 776 668 776 668 776 668 776 668
    776 668 776 668 776 668 776 668 776 668 776 668 776 668 683 664 683 664 683 664 683 664 683 664
    683 664 683 664 683 664 546 342 546 342 850 687 850 687 850 687 850 687 850 687 850 687 850 687
    914 687 914 687 914 687 914 687 914 687 812 712 812 712 846 742 846 742 846 742 846 742 846 742
    737 651 737 651 737 651 737 651 U+2010 639 639 711 711 1000 1000 324 711 332 332 332 332 587
    587 587 587 711 711 711 530 333 667 1049 U+2030 1777 1542 353 616 616 350 566 783 353 543 543
    U+20AB 699 711 U+2116 1294 U+2122 964 U+2212 867`,
}, 10);
