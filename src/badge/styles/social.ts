import { type Face, makeFace } from "../face.ts";
import {
  type Content,
  type Draw,
  drawLogo,
  frame,
  LOGO_SIZE,
  LOGOS,
  type Palette,
  type Style,
} from "./style.ts";

/** Helvetica bold at 11 px: the advances of Adobe's font metrics (Helvetica-Bold.afm), in hundredths of a pixel. */
const helveticaBold11: Face = makeFace({
  em: 11,
  emoji: 13,
  bold: true,
  runs: [[
    0x20,
    `306 366 521 612 612 978 794 262 366 366 428 642 306 366 306 306 612 612 612 612 612 612 612 612
      612 612 366 366 642 642 642 672 1073 794 794 794 794 734 672 856 794 306 612 794 672 916 794
      856 734 856 794 734 672 794 734 1038 734 734 672 366 306 366 642 612 366 612 672 612 672 612
      366 672 672 306 306 612 306 978 672 672 672 672 428 612 366 672 612 856 612 612 550 428 308
      428 642`,
  ]],
});

/** shields.io's social: a button with the label, and a bubble with the count. */
export const social: Style = {
  labelFace: helveticaBold11,
  messageFace: helveticaBold11,
  capitals: false,
  bars: false,
  font: "Helvetica Neue,Helvetica,Arial,sans-serif",
  painter,
};

const HEIGHT = 20;
const EDGE = 6;
const GAP = 7;

function painter(palette: Palette): Draw {
  const paint = paintOf(palette);
  const logo = { ...palette, logo: palette.logo ?? LOGOS.get("tally") };
  return (content) => {
    const { label, message } = content;
    const hasLabel = label.drawn !== "";
    const labelLength = round(label.width);
    const messageLength = round(message.width);
    const labelX = EDGE + LOGO_SIZE + 4;
    const button = Math.ceil(hasLabel ? labelX + labelLength + EDGE : EDGE + LOGO_SIZE + EDGE);
    const bubble = button + GAP;
    const bubbleWidth = Math.ceil(messageLength + 10);
    const width = bubble + bubbleWidth;
    return frame(
      { width, height: HEIGHT, label, message, css: paint.css },
      `<linearGradient id="g" x2="0" y2="1"><stop ${paint.top}/><stop offset="1" ${paint.foot}/></linearGradient>` +
        `<rect x=".5" y=".5" width="${
          button - 1
        }" height="19" rx="3" fill="url(#g)" ${paint.edge}/>` +
        `<path ${paint.bubble} d="M${bubble + 0.5} 7.5v-4a3 3 0 0 1 3-3h${
          bubbleWidth - 7
        }a3 3 0 0 1 3 3v13a3 3 0 0 1-3 3` +
        `h-${bubbleWidth - 7}a3 3 0 0 1-3-3v-4l-3-2.5z"/>` +
        drawLogo(logo, { x: EDGE, height: HEIGHT, ink: paint.stroke }) +
        `<g font-family="${palette.font}" font-weight="bold" font-size="11" text-anchor="middle" text-rendering="geometricPrecision">` +
        labelText(content, { x: labelX, length: labelLength, ink: paint.label }) +
        `<text x="${
          round(bubble + bubbleWidth / 2)
        }" y="14" textLength="${messageLength}"${message.attributes} ${paint.value}>${message.drawn}</text></g>`,
    );
  };
}

/** Capitalized, as on shields.io. */
function labelText(
  { label }: Content,
  { x, length, ink }: { x: number; length: number; ink: string },
): string {
  if (label.drawn === "") return "";
  const text = /^[a-z]/.test(label.drawn)
    ? label.drawn.charAt(0).toUpperCase() + label.drawn.slice(1)
    : label.drawn;
  return `<text x="${
    round(x + length / 2)
  }" y="14" textLength="${length}"${label.attributes} ${ink}>${text}</text>`;
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** The paint of a social badge, as attributes ready for a template. */
interface Paint {
  readonly css: string;
  readonly top: string;
  readonly foot: string;
  readonly edge: string;
  readonly bubble: string;
  readonly stroke: string;
  readonly label: string;
  readonly value: string;
}

function paintOf({ theme, failed, color, valueColor, labelColor }: Palette): Paint {
  const auto = theme === "auto";
  const ground = theme === "dark" ? DARK : LIGHT;
  const chosen = valueColor ?? color;
  const value = (of: typeof LIGHT) => failed ? of.error : of.ink;
  const name = (letter: string) => auto ? `class="${letter}" ` : "";
  const dark = `.p{stop-color:${DARK.top}}.q{stop-color:${DARK.foot}}.s{stroke:${DARK.edge}}` +
    `.a{fill:${DARK.bubble}}.b{stroke:${DARK.ink}}` +
    (labelColor === undefined ? `.c{fill:${DARK.ink}}` : "") +
    (chosen === undefined ? `.d{fill:${value(DARK)}}` : "");
  return {
    css: auto ? `<style>@media(prefers-color-scheme:dark){${dark}}</style>` : "",
    top: `${name("p")}stop-color="${ground.top}"`,
    foot: `${name("q")}stop-color="${ground.foot}"`,
    edge: `${name("s")}stroke="${ground.edge}"`,
    bubble: `${name("a s")}fill="${ground.bubble}" stroke="${ground.edge}"`,
    stroke: `${name("b")}stroke="${ground.ink}"`,
    label: `${name("c")}fill="${labelColor ?? ground.ink}"`,
    value: `${name("d")}fill="${chosen ?? value(ground)}"`,
  };
}

const LIGHT = {
  top: "#fcfcfc",
  foot: "#ebebeb",
  edge: "#d0d4d1",
  bubble: "#fafafa",
  ink: "#333",
  error: "#b3261e",
};
const DARK: typeof LIGHT = {
  top: "#2b3230",
  foot: "#1e2423",
  edge: "#3f4946",
  bubble: "#161b1a",
  ink: "#e8edeb",
  error: "#ff9b90",
};
