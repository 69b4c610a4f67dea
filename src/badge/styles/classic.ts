import { frame } from "./frame.ts";
import { BLUR, shadowedText } from "./shadowed_text.ts";
import { shieldsLayout } from "./shields_layout.ts";
import type { Draw, Palette, Style } from "./style.ts";
import { twoTone, VERDANA } from "./two_tone.ts";
import { verdana11 } from "../faces/verdana_11.ts";

/** The default, shields.io's flat: rounded corners, a faint shine, text with a soft shadow. */
export const classic: Style = {
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
      BLUR + SHINE +
        `<clipPath id="r"><rect width="${at.width}" height="20" rx="3"/></clipPath>` +
        `<g clip-path="url(#r)"><rect width="${at.labelWidth}" height="20" ${paint.labelBox}/>` +
        `<rect x="${at.labelWidth}" width="${at.valueWidth}" height="20" ${paint.valueBox}/>` +
        `<rect width="${at.width}" height="20" fill="url(#s)"/></g>` +
        `<g text-anchor="middle" font-family="${palette.font}" text-rendering="geometricPrecision" font-size="110">` +
        shadowedText({
          x: at.labelX,
          y: 140,
          length: at.labelLength,
          drawn: label.drawn,
          direction: label.direction,
          ink: paint.labelText,
          shadow: paint.labelShadow,
        }) +
        shadowedText({
          x: at.messageX,
          y: 140,
          length: at.messageLength,
          drawn: message.drawn,
          direction: message.direction,
          ink: paint.valueText,
          shadow: paint.valueShadow,
        }) +
        "</g>",
    );
  };
}

const SHINE = `<linearGradient id="s" x2="0" y2="100%">` +
  `<stop offset="0" stop-color="#bbb" stop-opacity=".1"/><stop offset="1" stop-opacity=".1"/>` +
  "</linearGradient>";
