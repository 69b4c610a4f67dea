import type { Content, Palette } from "./style.ts";

/** A cell of a counter: a digit, or what stands between two numbers. */
export interface Cell {
  readonly character: string;
  /** Whether it is a zero before the number, there only to fill its places. */
  readonly leading: boolean;
}

/**
 * The cells that a style of digits shows: at least as many as the palette asks for, or those of each of several numbers
 * with a slash between them. Undefined for a message of words, such as an error.
 */
export function cellsOf({ message }: Content, { digits }: Palette): readonly Cell[] | undefined {
  const text = message.drawn;
  if (!NUMBERS.test(text)) return undefined;
  const padded = text.padStart(digits, "0");
  const leading = padded.length - text.length;
  return [...padded.replace(" / ", "/")].map((character, index) => ({
    character,
    leading: index < leading,
  }));
}

const NUMBERS = /^\d+( \/ \d+)?$/;

/** Draws words in the middle of a panel of this size, where there is no number to show. */
export function drawWords(
  { message }: Content,
  { width, height, ink, font }: { width: number; height: number; ink: string; font: string },
): string {
  const length = Math.min(message.width, width - 12);
  return `<text x="${width / 2}" y="${
    height / 2 + 4
  }" text-anchor="middle" textLength="${length}" ` +
    `lengthAdjust="spacingAndGlyphs" font-family="${font}" font-size="11" fill="${ink}"` +
    `${message.direction}>${message.drawn}</text>`;
}

/** The width of a panel of words in pixels. */
export function wordsWidth({ message }: Content): number {
  return Math.ceil(message.width) + 24;
}

/** Digits of one pen stroke each, 10 wide and 16 high, with round ends and joins. */
export const STROKES: ReadonlyMap<string, string> = new Map([
  ["0", "M0 5a5 5 0 0 1 10 0v6a5 5 0 0 1-10 0z"],
  ["1", "M2 3.2L6 0v16"],
  ["2", "M.2 4.5C.3 1.8 2.3 0 5 0s4.8 1.8 4.8 4.4c0 3.8-4.3 6-9.6 11.6H10"],
  [
    "3",
    "M.5 2.4C1.4.9 2.9 0 4.8 0 7.5 0 9.3 1.5 9.3 3.8S7.5 7.6 4 7.6c3.8 0 6 1.6 6 4.2S7.9 16 4.8 16" +
    "C2.6 16 .9 15 0 13.3",
  ],
  ["4", "M7.5 16V0L0 11h10"],
  [
    "5",
    "M9.2 0H1.5L.8 7.2C2 6.3 3.4 5.9 4.9 5.9 8 5.9 10 7.9 10 10.9S7.9 16 4.8 16C2.7 16 1 15.2 0 13.7",
  ],
  [
    "6",
    "M8.8 1.8C8 .6 6.7 0 5.2 0 2 0 0 3.4 0 9c0 4.5 2 7 5 7 2.9 0 5-2 5-4.9S7.9 6.3 5 6.3 0 8.3 0 11",
  ],
  ["7", "M0 0h10L4 16"],
  [
    "8",
    "M5 7.5C2.4 7.5.6 6 .6 3.7S2.4 0 5 0s4.4 1.5 4.4 3.7S7.6 7.5 5 7.5 0 9.2 0 11.7 2.2 16 5 16s5-1.8 " +
    "5-4.3-2.2-4.2-5-4.2z",
  ],
  [
    "9",
    "M1.2 14.2C2 15.4 3.3 16 4.8 16 8 16 10 12.6 10 7c0-4.5-2-7-5-7C2.1 0 0 2 0 4.9s2.1 4.8 5 4.8 5-2 5-4.7",
  ],
  ["/", "M9 0L1 16"],
]);
