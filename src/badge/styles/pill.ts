import type { Color } from "../color.ts";
import { trendWords } from "../spark.ts";
import { VERDANA, verdana11, verdanaBold10 } from "../face.ts";
import { type Draw, drawLogo, frame, LOGO_SIZE, type Palette, type Style } from "./style.ts";

/** Round and light, in the reader's color scheme unless `theme` says otherwise; with bars it has the trend of a week. */
export const pill: Style = {
  labelFace: verdana11,
  messageFace: verdanaBold10,
  capitals: false,
  bars: true,
  font: VERDANA,
  painter,
};

const HEIGHT = 20;
const EDGE = 11;
const GAP = 7;
/** The face is measured at 10 pixels and drawn at 11. */
const BOLDER = 1.1;

function painter(palette: Palette): Draw {
  const paint = paintOf(palette);
  return (content) => {
    const { label, message, bars } = content;
    const labelLength = round(label.width);
    const messageLength = round(message.width * BOLDER);
    const trend = bars.trend === undefined ? undefined : trendWords(bars.trend);
    const trendLength = trend === undefined ? 0 : trendWidth(trend.drawn);
    const labelX = EDGE + LOGO_SIZE + 3;
    const messageX = label.drawn === "" ? labelX : labelX + labelLength + GAP;
    const barsX = Math.ceil(messageX + messageLength + GAP);
    const trendX = bars.width === 0 ? barsX : barsX + bars.width + GAP;
    const end = trend !== undefined
      ? trendX + trendLength
      : bars.width > 0
      ? barsX + bars.width
      : messageX + messageLength;
    const width = Math.ceil(end + EDGE);
    return frame(
      { width, height: HEIGHT, label, message, more: trend?.spoken ?? "", css: paint.css },
      `<rect x=".5" y=".5" width="${width - 1}" height="19" rx="9.5" ${paint.ground}/>` +
        (palette.logo === undefined
          ? `<g fill="none" stroke-width="1.5" stroke-linecap="round">` +
            `<path d="M11 5.5v9m3-9v9m3-9v9m3-9v9" ${paint.strokes}/><path d="M9 13l13-6" ${paint.strike}/></g>`
          : drawLogo(palette, { x: EDGE - 2, height: HEIGHT, ink: paint.strike })) +
        bars.draw(barsX, paint.bars) +
        `<g font-family="${palette.font}" font-size="11" text-anchor="middle" text-rendering="geometricPrecision">` +
        (label.drawn === ""
          ? ""
          : `<text x="${
            round(labelX + labelLength / 2)
          }" y="14" textLength="${labelLength}"${label.attributes} ${paint.label}>${label.drawn}</text>`) +
        `<text x="${
          round(messageX + messageLength / 2)
        }" y="14" font-weight="bold" textLength="${messageLength}"${message.attributes} ${paint.value}>${message.drawn}</text>` +
        (trend === undefined
          ? ""
          : `<text x="${
            round(trendX + trendLength / 2)
          }" y="14" font-size="10" textLength="${trendLength}" ${
            trend.isUp ? paint.up : paint.label
          }>${trend.drawn}</text>`) +
        "</g>",
    );
  };
}

/** The advances of a trend's characters in Verdana of 10 pixels. */
function trendWidth(text: string): number {
  const digits = [...text].slice(2, -1).length;
  return round(TRIANGLE + digits * DIGIT + PERCENT);
}

/** With the space behind it. */
const TRIANGLE = 11.2;
const DIGIT = 6.4;
const PERCENT = 10.8;

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** The paint of a pill, as attributes ready for a template. */
interface Paint {
  readonly css: string;
  readonly ground: string;
  readonly strokes: string;
  readonly strike: string;
  readonly label: string;
  readonly value: string;
  readonly bars: string;
  readonly up: string;
}

/** Without a theme it follows the reader's color scheme; a color that was chosen stays the same in both. */
function paintOf(palette: Palette): Paint {
  const { theme, failed, bg, labelColor } = palette;
  const chosen = palette.valueColor ?? palette.color;
  const auto = theme === "none" || theme === "auto";
  const ground = theme === "dark" ? DARK : LIGHT;
  const value = (of: Ground) => failed ? of.error : of.value;
  const name = (letter: string) => auto ? `class="${letter}" ` : "";
  const dark = `.a{fill:${bg ?? DARK.paper};stroke:${DARK.border}}.b{stroke:${DARK.label}}` +
    `.d{stroke:${DARK.bars}}.g{fill:${DARK.bars}}.f{fill:${DARK.up}}` +
    (labelColor === undefined ? `.c{fill:${DARK.label}}` : "") +
    (chosen === undefined ? `.e{fill:${value(DARK)}}` : "");
  return {
    css: auto ? `<style>@media(prefers-color-scheme:dark){${dark}}</style>` : "",
    ground: `${name("a")}fill="${bg ?? ground.paper}" stroke="${ground.border}"`,
    strokes: `${name("b")}stroke="${ground.label}"`,
    strike: `${name("d")}stroke="${ground.bars}"`,
    label: `${name("c")}fill="${labelColor ?? ground.label}"`,
    value: `${name("e")}fill="${chosen ?? value(ground)}"`,
    bars: `${name("g")}fill="${ground.bars}"`,
    up: `${name("f")}fill="${ground.up}"`,
  };
}

interface Ground {
  readonly paper: Color;
  readonly border: Color;
  readonly label: Color;
  readonly value: Color;
  readonly error: Color;
  readonly bars: Color;
  readonly up: Color;
}

const LIGHT: Ground = {
  paper: "#fff",
  border: "#cfd5d0",
  label: "#5b645f",
  value: "#1a1f1d",
  error: "#b3261e",
  bars: "#17957f",
  up: "#0b7261",
};
const DARK: Ground = {
  paper: "#161b1a",
  border: "#3a4340",
  label: "#9ca7a2",
  value: "#e8edeb",
  error: "#ff9b90",
  bars: "#2fae91",
  up: "#5ad1b2",
};
