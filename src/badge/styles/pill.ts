import { filledPaper } from "../../drawing/goal.ts";
import { VERDANA, verdana10, verdana11, verdanaBold10 } from "../../drawing/face.ts";
import { ERROR, GREEN, Inks, partId, UP } from "../../drawing/inks.ts";
import type { Palette } from "../palette.ts";
import { weekTrend } from "../../drawing/number.ts";
import { drawText, type Line, setLine, tenth } from "../../drawing/text.ts";
import { drawLogo, LOGO_SIZE } from "./logo.ts";
import type { Draw, Style } from "./style.ts";

/**
 * Round and light, in the reader's color scheme unless `theme` is set. With bars it shows the trend
 * of a week.
 */
export const pill: Style = {
  names: ["pill"],
  ignores: ["digits"],
  labelFace: verdana11,
  messageFace: verdanaBold10,
  font: VERDANA,
  layout,
};

const HEIGHT = 20;
const EDGE = 11;
const GAP = 7;
/** The face is measured at 10 pixels and drawn at 11. */
const BOLDER = 1.1;

function layout(palette: Palette, label: Line): Draw {
  const inks = inksOf(palette);
  const labelLength = tenth(label.width);
  const labelX = EDGE + LOGO_SIZE + 3;
  const messageX = label.drawn === "" ? labelX : tenth(labelX + labelLength + GAP);
  const labelText = drawText(label, { x: labelX, length: labelLength, ink: inks.label });
  return ({ message, bars, share }) => {
    const messageLength = tenth(message.width * BOLDER);
    const trend = bars.trend === undefined ? undefined : weekTrend(bars.trend);
    const trendLine = setLine(trend?.drawn ?? "", verdana10);
    const barsX = Math.ceil(messageX + messageLength + GAP);
    const barsEnd = bars.width === 0 ? messageX + messageLength : barsX + bars.width;
    // Only bars have a trend.
    const trendX = barsEnd + GAP;
    const end = trend === undefined ? barsEnd : trendX + trendLine.width;
    const width = Math.ceil(end + EDGE);
    const left = messageX - GAP / 2;
    const right = end > messageX + messageLength ? messageX + messageLength + GAP / 2 : width - 1;
    const clip = partId("k", width);
    const filled = share === 0
      ? ""
      : `<clipPath id="${clip}"><rect x="1" y="1" width="${
        width - 2
      }" height="18" rx="9"/></clipPath>` +
        `<rect clip-path="url(#${clip})" x="${tenth(left)}" width="${
          tenth(share * (right - left))
        }" height="20"${inks.fill}/>`;
    const shapes =
      `<rect x=".5" y=".5" width="${width - 1}" height="19" rx="9.5"${inks.ground}/>${filled}` +
      (palette.logo === undefined
        ? `<g fill="none" stroke-width="1.5" stroke-linecap="round">` +
          `<path d="M11 5.5v9m3-9v9m3-9v9m3-9v9"${inks.strokes}/><path d="M9 13l13-6"${inks.strike}/></g>`
        : drawLogo(palette, { x: EDGE - 2, height: HEIGHT, ink: inks.strike })) +
      bars.draw(barsX, inks.bars) +
      `<g font-family="${palette.font}" font-size="11" text-rendering="geometricPrecision">` +
      labelText +
      drawText(message, {
        x: messageX,
        length: messageLength,
        ink: inks.value,
        font: ' font-weight="bold"',
      }) +
      drawText(trendLine, {
        x: trendX,
        length: tenth(trendLine.width),
        ink: trend?.isUp ? inks.up : inks.label,
        font: ' font-size="10"',
      }) +
      "</g>";
    return {
      width,
      height: HEIGHT,
      css: bars.width === 0 ? inks.css : inks.cssWithBars,
      shapes,
      spoken: trend?.spoken,
    };
  };
}

/**
 * Follows the reader's color scheme if no theme is set. Chosen colors are the same in both schemes.
 */
function inksOf({ theme, failed, bg, labelColor, color, valueColor, goal }: Palette) {
  const inks = new Inks(theme === "none" ? "auto" : theme);
  const paper = bg ?? COLORS.paper;
  const value = valueColor ?? color ?? (failed ? ERROR : COLORS.value);
  const filled = goal === undefined ? undefined : filledPaper(paper, value);
  const always = {
    ground: inks.attributes({ fill: filled?.rest ?? paper, stroke: COLORS.border }),
    strokes: inks.stroke(COLORS.label),
    strike: inks.stroke(GREEN),
    label: inks.fill(labelColor ?? COLORS.label),
    value: inks.fill(filled?.text ?? value),
    fill: filled === undefined ? "" : inks.fill(filled.fill),
    css: inks.css(),
  };
  return { ...always, bars: inks.fill(GREEN), up: inks.fill(UP), cssWithBars: inks.css() };
}

const COLORS = {
  paper: ["#fff", "#161b1a"],
  border: ["#cfd5d0", "#3a4340"],
  label: ["#5b645f", "#9ca7a2"],
  value: ["#1a1f1d", "#e8edeb"],
} as const;
