import type { Content } from "./style.ts";
import type { Line } from "../text.ts";

/** Where the parts of a badge stand: boxes in pixels, text in tenths of a pixel. */
export interface Layout {
  readonly width: number;
  /** 0 where there is no label. */
  readonly labelWidth: number;
  readonly valueWidth: number;
  readonly labelX: number;
  readonly labelLength: number;
  /** In pixels. */
  readonly barsX: number;
  readonly messageX: number;
  readonly messageLength: number;
}

/** The geometry that shields.io's flat, flat-square and plastic badges share. */
export function shieldsLayout({ label, message, bars }: Content): Layout {
  const labelLength = oddWidth(label);
  const messageLength = oddWidth(message);
  const labelWidth = label.drawn === "" ? 0 : labelLength + 2 * PADDING;
  const barsRoom = bars.width === 0 ? 0 : bars.width + PADDING;
  const valueWidth = barsRoom + messageLength + 2 * PADDING;
  // Both texts stand one pixel off the middle of their boxes, towards the seam where there is one.
  const seam = labelWidth === 0 ? 0 : 1;
  return {
    width: labelWidth + valueWidth,
    labelWidth,
    valueWidth,
    labelX: 10 * (seam + PADDING) + 5 * labelLength,
    labelLength: 10 * labelLength,
    barsX: labelWidth + PADDING,
    messageX: 10 * (labelWidth - seam + PADDING + barsRoom) + 5 * messageLength,
    messageLength: 10 * messageLength,
  };
}

const PADDING = 5;

// An odd width puts the middle of the text on the middle of a pixel.
function oddWidth(line: Line): number {
  return Math.trunc(line.width) | 1;
}
