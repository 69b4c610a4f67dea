import type { Face } from "../../drawing/face.ts";
import type { Palette } from "../palette.ts";
import type { Bars } from "../bars.ts";
import type { LookName } from "../parameters.ts";
import type { Line } from "../../drawing/text.ts";

/** The part of a badge that changes: bars, then a message. Both follow the label. */
export interface Content {
  readonly message: Line;
  readonly bars: Bars;
  /** The share of the message's side that is filled, from 0 to 1. Needs a goal in the palette. */
  readonly share: number;
}

/** A badge without its frame. */
export interface Drawing {
  /** Its size in pixels. */
  readonly width: number;
  readonly height: number;
  /** A style element. */
  readonly css?: string | undefined;
  readonly shapes: string;
  /** Read aloud after the message, escaped. */
  readonly spoken?: string | undefined;
}

/** Draws a badge in one palette and with one label. */
export type Draw = (content: Content) => Drawing;

/** A style: everything that the service knows about it. */
export interface Style {
  /** The values of `style` that mean it. The page and the documentation show the first one. */
  readonly names: readonly [string, ...string[]];
  /**
   * The parameters that change nothing in it. The page disables their controls, and their
   * descriptions say so. Numbers are formatted only for a style that heeds `numbers`.
   */
  readonly ignores: readonly LookName[];
  /** The faces that measure its texts. */
  readonly labelFace: Face;
  readonly messageFace: Face;
  /** True if texts are drawn in capitals. */
  readonly capitals?: boolean;
  /** The font families to fall back on. */
  readonly font: string;
  /** Lays out the label in a palette. Returns what lays out the rest, once for each message. */
  readonly layout: (palette: Palette, label: Line) => Draw;
}
