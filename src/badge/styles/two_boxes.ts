import type { TwoTone } from "./two_tone.ts";

/** The widths of the boxes and the height of the badge, in pixels. */
export interface TwoBoxes {
  /** 0 where there is no label. */
  readonly labelWidth: number;
  readonly valueWidth: number;
  readonly height: number;
}

/** Draws the box of the label, unless there is none, and the box of the value beside it. */
export function twoBoxes({ labelWidth, valueWidth, height }: TwoBoxes, paint: TwoTone): string {
  const value = `width="${valueWidth}" height="${height}" ${paint.valueBox}/>`;
  if (labelWidth === 0) return `<rect ${value}`;
  return `<rect width="${labelWidth}" height="${height}" ${paint.labelBox}/>` +
    `<rect x="${labelWidth}" ${value}`;
}
