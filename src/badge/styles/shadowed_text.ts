/** A text with its soft shadow; x and length in tenths of a pixel, y of the baseline likewise. */
export interface ShadowedText {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly drawn: string;
  readonly direction: string;
  readonly ink: string;
  readonly shadow: string;
}

/** The filter that `shadowedText` refers to. */
export const BLUR = `<filter id="blur"><feGaussianBlur stdDeviation="16"/></filter>`;

/** Draws the text over its shadow; the shadow is hidden from screen readers. */
export function shadowedText(text: ShadowedText): string {
  const { x, y, length, drawn, direction } = text;
  const below = `x="${x}" y="${y + 10}" textLength="${length}"${direction}`;
  return `<g transform="scale(.1)"><g aria-hidden="true" ${text.shadow}>` +
    `<text ${below} fill-opacity=".8" filter="url(#blur)">${drawn}</text>` +
    `<text ${below} fill-opacity=".3">${drawn}</text></g>` +
    `<text x="${x}" y="${y}" textLength="${length}"${direction} ${text.ink}>${drawn}</text></g>`;
}
