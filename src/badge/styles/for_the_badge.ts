import { frame } from "./frame.ts";
import type { Draw, Palette, Style } from "./style.ts";
import type { Line } from "../text.ts";
import { twoTone, VERDANA } from "./two_tone.ts";
import { verdana10 } from "../faces/verdana_10.ts";
import { verdanaBold10 } from "../faces/verdana_bold_10.ts";

/** shields.io's for-the-badge: tall, in spaced capitals, the message bold. */
export const forTheBadge: Style = {
  labelFace: verdana10,
  messageFace: verdanaBold10,
  capitals: true,
  font: VERDANA,
  painter,
};

function painter(palette: Palette): Draw {
  const { css, ...paint } = twoTone(palette);
  return (label, message) => {
    const labelLength = spacedWidth(label);
    const messageLength = spacedWidth(message);
    const labelWidth = labelLength + 2 * MARGIN;
    const valueWidth = messageLength + 2 * MARGIN;
    const labelX = 10 * MARGIN + 5 * labelLength;
    const messageX = 10 * (labelWidth + MARGIN) + 5 * messageLength;
    return frame(
      { width: labelWidth + valueWidth, height: 28, label, message, css },
      `<g shape-rendering="crispEdges"><rect width="${labelWidth}" height="28" ${paint.labelBox}/>` +
        `<rect x="${labelWidth}" width="${valueWidth}" height="28" ${paint.valueBox}/></g>` +
        `<g text-anchor="middle" font-family="${palette.font}" text-rendering="geometricPrecision" font-size="100">` +
        `<text x="${labelX}" y="175" textLength="${
          10 * labelLength
        }" transform="scale(.1)"${label.direction} ${paint.labelText}>${label.drawn}</text>` +
        `<text x="${messageX}" y="175" textLength="${
          10 * messageLength
        }" transform="scale(.1)" font-weight="bold"${message.direction} ${paint.valueText}>${message.drawn}</text></g>`,
    );
  };
}

const MARGIN = 12;

// textLength spreads the letters by this many pixels each.
const LETTER_SPACING = 1.25;

function spacedWidth(line: Line): number {
  return Math.trunc(line.width) + LETTER_SPACING * line.spaced;
}
