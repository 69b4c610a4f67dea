import { frame } from "./frame.ts";
import { plainText } from "./plain_text.ts";
import { shieldsLayout } from "./shields_layout.ts";
import type { Draw, Palette, Style } from "./style.ts";
import { twoBoxes } from "./two_boxes.ts";
import { twoTone, VERDANA } from "./two_tone.ts";
import { verdana11 } from "../faces/verdana_11.ts";

/** shields.io's flat-square: two plain boxes. */
export const flatSquare: Style = {
  labelFace: verdana11,
  messageFace: verdana11,
  capitals: false,
  bars: true,
  font: VERDANA,
  painter,
};

const HEIGHT = 20;

function painter(palette: Palette): Draw {
  const paint = twoTone(palette);
  return (content) => {
    const { label, message, bars } = content;
    const at = shieldsLayout(content);
    const { labelWidth, valueWidth } = at;
    return frame(
      { width: at.width, height: HEIGHT, label, message, css: paint.css },
      `<g shape-rendering="crispEdges">${
        twoBoxes({ labelWidth, valueWidth, height: HEIGHT }, paint)
      }</g>` +
        bars.draw(at.barsX, paint.valueText) +
        `<g text-anchor="middle" font-family="${palette.font}" text-rendering="geometricPrecision" font-size="110">` +
        plainText(label, { x: at.labelX, y: 140, length: at.labelLength, ink: paint.labelText }) +
        plainText(message, {
          x: at.messageX,
          y: 140,
          length: at.messageLength,
          ink: paint.valueText,
        }) +
        "</g>",
    );
  };
}
