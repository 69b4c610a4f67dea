import { frame } from "./frame.ts";
import { plainText } from "./plain_text.ts";
import type { Draw, Palette, Style } from "./style.ts";
import type { Line } from "../text.ts";
import { twoBoxes } from "./two_boxes.ts";
import { twoTone, VERDANA } from "./two_tone.ts";
import { verdana10 } from "../faces/verdana_10.ts";
import { verdanaBold10 } from "../faces/verdana_bold_10.ts";

/** shields.io's for-the-badge: tall, in spaced capitals, the message bold. */
export const forTheBadge: Style = {
  labelFace: verdana10,
  messageFace: verdanaBold10,
  capitals: true,
  bars: false,
  font: VERDANA,
  painter,
};

const HEIGHT = 28;
const BASELINE = 175;
const MARGIN = 12;

function painter(palette: Palette): Draw {
  const paint = twoTone(palette);
  return ({ label, message }) => {
    const labelLength = spacedWidth(label);
    const messageLength = spacedWidth(message);
    const labelWidth = label.drawn === "" ? 0 : labelLength + 2 * MARGIN;
    const valueWidth = messageLength + 2 * MARGIN;
    return frame(
      { width: labelWidth + valueWidth, height: HEIGHT, label, message, css: paint.css },
      `<g shape-rendering="crispEdges">` +
        `${twoBoxes({ labelWidth, valueWidth, height: HEIGHT }, paint)}</g>` +
        `<g text-anchor="middle" font-family="${palette.font}" text-rendering="geometricPrecision" font-size="100">` +
        plainText(label, {
          x: 10 * MARGIN + 5 * labelLength,
          y: BASELINE,
          length: 10 * labelLength,
          ink: paint.labelText,
        }) +
        plainText(message, {
          x: 10 * (labelWidth + MARGIN) + 5 * messageLength,
          y: BASELINE,
          length: 10 * messageLength,
          ink: paint.valueText,
          bold: true,
        }) +
        "</g>",
    );
  };
}

// textLength spreads the letters by this many pixels each.
const LETTER_SPACING = 1.25;

function spacedWidth(line: Line): number {
  return Math.trunc(line.width) + LETTER_SPACING * line.spaced;
}
