import type { Line } from "../text.ts";

/** Where a text stands and how it is painted; x, y of the baseline and length in tenths of a pixel. */
export interface ShadowedText {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly ink: string;
  readonly shadow: string;
}

/** The filter that `shadowedText` refers to. */
export const BLUR = `<filter id="blur"><feGaussianBlur stdDeviation="16"/></filter>`;

/** Draws the text, if there is any, over its shadow; the shadow is hidden from screen readers. */
export function shadowedText({ drawn, direction }: Line, text: ShadowedText): string {
  if (drawn === "") return "";
  const { x, y, length } = text;
  const below = `x="${x}" y="${y + 10}" textLength="${length}"${direction}`;
  return `<g transform="scale(.1)"><g aria-hidden="true" ${text.shadow}>` +
    `<text ${below} fill-opacity=".8" filter="url(#blur)">${drawn}</text>` +
    `<text ${below} fill-opacity=".3">${drawn}</text></g>` +
    `<text x="${x}" y="${y}" textLength="${length}"${direction} ${text.ink}>${drawn}</text></g>`;
}
