import { filledPaper } from "../goal.ts";
import { VERDANA, verdana11, verdanaBold10 } from "../face.ts";
import { ERROR, GREEN, Paint, UP } from "../paint.ts";
import type { Palette } from "../palette.ts";
import { weekTrend } from "../spark.ts";
import { drawTextFrom, type Line, tenth } from "../text.ts";
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
  const paint = paintOf(palette);
  const labelLength = tenth(label.width);
  const labelX = EDGE + LOGO_SIZE + 3;
  const messageX = label.drawn === "" ? labelX : labelX + labelLength + GAP;
  const labelText = drawTextFrom(label, labelX, { length: labelLength, ink: paint.label });
  return ({ message, bars, share }) => {
    const messageLength = tenth(message.width * BOLDER);
    const trend = bars.trend === undefined ? undefined : weekTrend(bars.trend);
    const trendLength = trend === undefined ? 0 : trendWidth(trend.drawn);
    const barsX = Math.ceil(messageX + messageLength + GAP);
    const trendX = bars.width === 0 ? barsX : barsX + bars.width + GAP;
    const end = trend !== undefined
      ? trendX + trendLength
      : bars.width > 0
      ? barsX + bars.width
      : messageX + messageLength;
    const width = Math.ceil(end + EDGE);
    const left = messageX - GAP / 2;
    const right = end > messageX + messageLength ? messageX + messageLength + GAP / 2 : width - 1;
    const filled = share === 0
      ? ""
      : `<clipPath id="k"><rect x="1" y="1" width="${width - 2}" height="18" rx="9"/></clipPath>` +
        `<rect clip-path="url(#k)" x="${tenth(left)}" width="${
          tenth(share * (right - left))
        }" height="20"${paint.fill}/>`;
    const shapes =
      `<rect x=".5" y=".5" width="${width - 1}" height="19" rx="9.5"${paint.ground}/>${filled}` +
      (palette.logo === undefined
        ? `<g fill="none" stroke-width="1.5" stroke-linecap="round">` +
          `<path d="M11 5.5v9m3-9v9m3-9v9m3-9v9"${paint.strokes}/><path d="M9 13l13-6"${paint.strike}/></g>`
        : drawLogo(palette, { x: EDGE - 2, height: HEIGHT, ink: paint.strike })) +
      bars.draw(barsX, paint.bars) +
      `<g font-family="${palette.font}" font-size="11" text-anchor="middle" text-rendering="geometricPrecision">` +
      labelText +
      drawTextFrom(message, messageX, {
        length: messageLength,
        ink: paint.value,
        font: ' font-weight="bold"',
      }) +
      drawTextFrom({ drawn: trend?.drawn ?? "", attributes: "" }, trendX, {
        length: trendLength,
        ink: trend?.isUp ? paint.up : paint.label,
        font: ' font-size="10"',
      }) +
      "</g>";
    return { width, height: HEIGHT, css: paint.css, shapes, spoken: trend?.spoken };
  };
}

/** Returns the width of a trend such as "▲ 12%" or "0%" in Verdana of 10 pixels. */
function trendWidth(text: string): number {
  const arrow = text.includes(" ") ? TRIANGLE_AND_SPACE - 2 * DIGIT : 0;
  return tenth(arrow + (text.length - "%".length) * DIGIT + PERCENT);
}

const TRIANGLE_AND_SPACE = 11.2;
const DIGIT = 6.4;
const PERCENT = 10.8;

/**
 * Follows the reader's color scheme if no theme is set. Chosen colors are the same in both schemes.
 */
function paintOf({ theme, failed, bg, labelColor, color, valueColor, goal }: Palette) {
  const paint = new Paint(theme === "none" ? "auto" : theme);
  const paper = bg ?? COLORS.paper;
  const value = valueColor ?? color ?? (failed ? ERROR : COLORS.value);
  const filled = goal === undefined ? undefined : filledPaper(paper, value);
  return {
    ground: paint.attributes("a", { fill: filled?.rest ?? paper, stroke: COLORS.border }),
    strokes: paint.stroke("b", COLORS.label),
    strike: paint.stroke("d", GREEN),
    bars: paint.fill("g", GREEN),
    up: paint.fill("f", UP),
    label: paint.fill("c", labelColor ?? COLORS.label),
    value: paint.fill("e", filled?.text ?? value),
    fill: filled === undefined ? "" : paint.fill("h", filled.fill),
    css: paint.css(),
  };
}

const COLORS = {
  paper: ["#fff", "#161b1a"],
  border: ["#cfd5d0", "#3a4340"],
  label: ["#5b645f", "#9ca7a2"],
  value: ["#1a1f1d", "#e8edeb"],
} as const;
