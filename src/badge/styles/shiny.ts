import { frame } from "./frame.ts";
import { BLUR, shadowedText } from "./shadowed_text.ts";
import { shieldsLayout } from "./shields_layout.ts";
import type { Draw, Palette, Style } from "./style.ts";
import { twoBoxes } from "./two_boxes.ts";
import { twoTone, VERDANA } from "./two_tone.ts";
import { verdana11 } from "../faces/verdana_11.ts";

/** What sets one shiny style apart from another. */
export interface Shiny {
  readonly height: number;
  /** Of the corners. */
  readonly radius: number;
  /** Of the text, in tenths of a pixel. */
  readonly baseline: number;
  /** The stops of the gradient that lies over the boxes, from top to bottom. */
  readonly shine: string;
}

/** A style of shields.io with round corners, a gradient over both boxes, and shadows below the text. */
export function shinyStyle(shiny: Shiny): Style {
  return {
    labelFace: verdana11,
    messageFace: verdana11,
    capitals: false,
    bars: shiny.height === HEIGHT_OF_BARS,
    font: VERDANA,
    painter: (palette) => painter(shiny, palette),
  };
}

/** Bars are drawn for badges that are 20 pixels high. */
const HEIGHT_OF_BARS = 20;

function painter({ height, radius, baseline: y, shine }: Shiny, palette: Palette): Draw {
  const paint = twoTone(palette);
  const ends = `height="${height}" rx="${radius}"/></clipPath><g clip-path="url(#r)">`;
  const above = `${BLUR}<linearGradient id="s" x2="0" y2="100%">${shine}</linearGradient>` +
    `<clipPath id="r">`;
  const type = `<g text-anchor="middle" font-family="${palette.font}" ` +
    `text-rendering="geometricPrecision" font-size="110">`;
  return (content) => {
    const { label, message, bars } = content;
    const at = shieldsLayout(content);
    const { labelWidth, valueWidth } = at;
    return frame(
      { width: at.width, height, label, message, css: paint.css },
      `${above}<rect width="${at.width}" ${ends}${
        twoBoxes({ labelWidth, valueWidth, height }, paint)
      }` +
        `<rect width="${at.width}" height="${height}" fill="url(#s)"/></g>${
          bars.draw(at.barsX, paint.valueText)
        }${type}` +
        shadowedText(label, {
          x: at.labelX,
          y,
          length: at.labelLength,
          ink: paint.labelText,
          shadow: paint.labelShadow,
        }) +
        shadowedText(message, {
          x: at.messageX,
          y,
          length: at.messageLength,
          ink: paint.valueText,
          shadow: paint.valueShadow,
        }) +
        "</g>",
    );
  };
}
