import type { Line } from "../text.ts";

/** Where a text stands and how it is painted; x, y of the baseline and length in tenths of a pixel. */
export interface PlainText {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly ink: string;
  readonly bold?: boolean;
}

/** Draws the text, if there is any, without a shadow. */
export function plainText({ drawn, direction }: Line, text: PlainText): string {
  if (drawn === "") return "";
  const weight = text.bold ? ' font-weight="bold"' : "";
  return `<text x="${text.x}" y="${text.y}" textLength="${text.length}" transform="scale(.1)"` +
    `${weight}${direction} ${text.ink}>${drawn}</text>`;
}
