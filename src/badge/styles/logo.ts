import type { Color } from "../../drawing/color.ts";

/** Width and height of a logo in pixels. */
export const LOGO_SIZE = 14;

/** Path data of the strokes of each logo in a square of {@linkcode LOGO_SIZE}. All are our own. */
export const LOGOS: ReadonlyMap<string, string> = new Map(Object.entries({
  tally: "M2 2v10M5.3 2v10M8.7 2v10M12 2v10M.8 9.6L13.2 4.4",
  eye: "M1 7c1.7-2.9 3.7-4.3 6-4.3S11.3 4.1 13 7c-1.7 2.9-3.7 4.3-6 4.3S2.7 9.9 1 7z" +
    "M7 5.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4z",
  star: "M7 1.2l1.8 3.7 4 .6-2.9 2.9.7 4.1L7 10.6l-3.6 1.9.7-4.1L1.2 5.5l4-.6z",
  heart: "M7 12.2C2.6 9.2 1 7.1 1 4.9 1 3.1 2.4 1.8 4 1.8c1.2 0 2.3.7 3 1.9.7-1.2 1.8-1.9 " +
    "3-1.9 1.6 0 3 1.3 3 3.1 0 2.2-1.6 4.3-6 7.3z",
  flame: "M7 1.2c.4 2.5 3.9 3.7 3.9 7.2A3.9 3.9 0 0 1 7 12.6a3.9 3.9 0 0 1-3.9-4.2c0-1.7.9-2.7 " +
    "1.6-3.6.2 1 .7 1.5 1.3 1.7C5.8 4.3 6 2.6 7 1.2z",
  users: "M5 6.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM1 12c0-2.2 1.7-3.6 4-3.6S9 9.8 9 12" +
    "M9.3 2.3a2.2 2.2 0 0 1 0 4M10.8 8.7c1.3.5 2.2 1.7 2.2 3.3",
  download: "M7 1.5v7M4 5.7l3 3 3-3M1.5 10.5v2h11v-2",
  book: "M7 3.2C5.6 2.3 3.8 2 1.5 2v8.7c2.3 0 4.1.3 5.5 1.2 1.4-.9 3.2-1.2 5.5-1.2V2" +
    "C10.2 2 8.4 2.3 7 3.2zM7 3.2v8.7",
  code: "M4.3 3.8L1 7l3.3 3.2M9.7 3.8L13 7l-3.3 3.2M8.2 2.5l-2.4 9",
  globe: "M7 1a6 6 0 1 0 0 12A6 6 0 0 0 7 1zM1.2 7h11.6M7 1c1.7 1.7 2.5 3.7 2.5 6S8.7 11.3 7 13" +
    "C5.3 11.3 4.5 9.3 4.5 7S5.3 2.7 7 1z",
  bolt: "M8 1L2.5 8H7l-1 5 5.5-7H7z",
  chart: "M2 12.5V8M7 12.5V5M12 12.5V1.5",
}));

/**
 * Draws the logo of a palette, if it has one, in the middle of a height. `ink` is the stroke
 * attribute to use unless `logoColor` was chosen.
 */
export function drawLogo(
  { logo, logoColor }: { logo: string | undefined; logoColor: Color | undefined },
  { x, height, ink }: { x: number; height: number; ink: string },
): string {
  if (logo === undefined) return "";
  const stroke = logoColor === undefined ? ink : ` stroke="${logoColor}"`;
  return `<path transform="translate(${x} ${(height - LOGO_SIZE) / 2})" fill="none" ` +
    `stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"${stroke} d="${logo}"/>`;
}
