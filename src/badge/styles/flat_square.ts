import { frame } from "./frame.ts";
import { shieldsLayout } from "./shields_layout.ts";
import type { Draw, Palette, Style } from "./style.ts";
import { twoTone, VERDANA } from "./two_tone.ts";
import { verdana11 } from "../faces/verdana_11.ts";

/** shields.io's flat-square: two plain boxes. */
export const flatSquare: Style = {
  labelFace: verdana11,
  messageFace: verdana11,
  capitals: false,
  font: VERDANA,
  painter,
};

function painter(palette: Palette): Draw {
  const { css, ...paint } = twoTone(palette);
  return (label, message) => {
    const at = shieldsLayout(label, message);
    return frame(
      { width: at.width, height: 20, label, message, css },
      `<g shape-rendering="crispEdges"><rect width="${at.labelWidth}" height="20" ${paint.labelBox}/>` +
        `<rect x="${at.labelWidth}" width="${at.valueWidth}" height="20" ${paint.valueBox}/></g>` +
        `<g text-anchor="middle" font-family="${palette.font}" text-rendering="geometricPrecision" font-size="110">` +
        `<text x="${at.labelX}" y="140" textLength="${at.labelLength}" transform="scale(.1)"${label.direction} ${paint.labelText}>${label.drawn}</text>` +
        `<text x="${at.messageX}" y="140" textLength="${at.messageLength}" transform="scale(.1)"${message.direction} ${paint.valueText}>${message.drawn}</text></g>`,
    );
  };
}
