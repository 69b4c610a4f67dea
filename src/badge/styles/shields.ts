import { type Color, isBright } from "../color.ts";
import type { Line } from "../text.ts";
import { VERDANA, verdana10, verdana11, verdanaBold10 } from "../face.ts";
import {
  type Content,
  type Draw,
  drawLogo,
  frame,
  LOGO_SIZE,
  type Palette,
  type Style,
} from "./style.ts";

// The four styles of shields.io that have a box for the label and one for the message, to the pixel
// as badge-maker 6 draws them.

/** In pixels; a style of this height has room for bars. */
const HEIGHT = 20;

/** The default, shields.io's flat: rounded corners, a faint shine, text with a soft shadow. */
export const classic: Style = shinyStyle({
  height: HEIGHT,
  radius: 3,
  baseline: 140,
  shine: `<stop offset="0" stop-color="#bbb" stop-opacity=".1"/>` +
    `<stop offset="1" stop-opacity=".1"/>`,
});

/** shields.io's plastic: lower, rounder and glossy. */
export const plastic: Style = shinyStyle({
  height: 18,
  radius: 4,
  baseline: 130,
  shine: `<stop offset="0" stop-color="#fff" stop-opacity=".7"/>` +
    `<stop offset=".1" stop-color="#aaa" stop-opacity=".1"/>` +
    `<stop offset=".9" stop-opacity=".3"/><stop offset="1" stop-opacity=".5"/>`,
});

/** The differences between `classic` and `plastic`. */
interface Shiny {
  readonly height: number;
  /** Of the corners. */
  readonly radius: number;
  /** Of the text, in tenths of a pixel. */
  readonly baseline: number;
  /** The stops of the gradient that lies over the boxes, from top to bottom. */
  readonly shine: string;
}

/** A style with round corners, a gradient over both boxes, and shadows below the text. */
function shinyStyle(shiny: Shiny): Style {
  return {
    labelFace: verdana11,
    messageFace: verdana11,
    capitals: false,
    bars: shiny.height === HEIGHT,
    font: VERDANA,
    painter: (palette) => shinyPainter(shiny, palette),
  };
}

function shinyPainter({ height, radius, baseline: y, shine }: Shiny, palette: Palette): Draw {
  const paint = twoTone(palette);
  const ends = `height="${height}" rx="${radius}"/></clipPath><g clip-path="url(#r)">`;
  const above = `<filter id="blur"><feGaussianBlur stdDeviation="16"/></filter>` +
    `<linearGradient id="s" x2="0" y2="100%">${shine}</linearGradient><clipPath id="r">`;
  const type = `<g text-anchor="middle" font-family="${palette.font}" ` +
    `text-rendering="geometricPrecision" font-size="110">`;
  return (content) => {
    const { label, message, bars } = content;
    const at = layout(content, palette);
    const { labelWidth, valueWidth } = at;
    return frame(
      { width: at.width, height, label, message, css: paint.css },
      `${above}<rect width="${at.width}" ${ends}${
        twoBoxes({ labelWidth, valueWidth, height }, paint)
      }` +
        `<rect width="${at.width}" height="${height}" fill="url(#s)"/></g>` +
        drawLogo(palette, { x: PADDING, height, ink: firstInks(at, paint).stroke }) +
        `${bars.draw(at.barsX, paint.value.text)}${type}` +
        shadowedText(label, { x: at.labelX, y, length: at.labelLength, ink: paint.label }) +
        shadowedText(message, { x: at.messageX, y, length: at.messageLength, ink: paint.value }) +
        "</g>",
    );
  };
}

/** shields.io's flat-square: two plain boxes. */
export const flatSquare: Style = {
  labelFace: verdana11,
  messageFace: verdana11,
  capitals: false,
  bars: true,
  font: VERDANA,
  painter: squarePainter,
};

function squarePainter(palette: Palette): Draw {
  const paint = twoTone(palette);
  return (content) => {
    const { label, message, bars } = content;
    const at = layout(content, palette);
    const { labelWidth, valueWidth } = at;
    return frame(
      { width: at.width, height: HEIGHT, label, message, css: paint.css },
      `<g shape-rendering="crispEdges">${
        twoBoxes({ labelWidth, valueWidth, height: HEIGHT }, paint)
      }</g>` +
        drawLogo(palette, { x: PADDING, height: HEIGHT, ink: firstInks(at, paint).stroke }) +
        bars.draw(at.barsX, paint.value.text) +
        `<g text-anchor="middle" font-family="${palette.font}" text-rendering="geometricPrecision" font-size="110">` +
        plainText(label, { x: at.labelX, y: 140, length: at.labelLength, ink: paint.label }) +
        plainText(message, { x: at.messageX, y: 140, length: at.messageLength, ink: paint.value }) +
        "</g>",
    );
  };
}

/** shields.io's for-the-badge: tall, in spaced capitals, the message bold. */
export const forTheBadge: Style = {
  labelFace: verdana10,
  messageFace: verdanaBold10,
  capitals: true,
  bars: false,
  font: VERDANA,
  painter: tallPainter,
};

const TALL = 28;
const MARGIN = 12;
/** Between a logo and the edge of its box, and between it and the text. */
const LOGO_MARGIN = 9;
const LOGO_GUTTER = 6;

function tallPainter(palette: Palette): Draw {
  const paint = twoTone(palette);
  const logo = palette.logo === undefined ? 0 : LOGO_MARGIN + LOGO_SIZE + LOGO_GUTTER;
  return ({ label, message }) => {
    const labelLength = spacedWidth(label);
    const messageLength = spacedWidth(message);
    const hasLabel = label.drawn !== "";
    const labelStart = logo === 0 ? MARGIN : logo;
    const labelWidth = hasLabel ? labelStart + labelLength + MARGIN : 0;
    const messageStart = hasLabel || logo === 0 ? MARGIN : logo;
    const valueWidth = messageStart + messageLength + MARGIN;
    return frame(
      { width: labelWidth + valueWidth, height: TALL, label, message, css: paint.css },
      `<g shape-rendering="crispEdges">` +
        `${twoBoxes({ labelWidth, valueWidth, height: TALL }, paint)}</g>` +
        drawLogo(palette, {
          x: LOGO_MARGIN,
          height: TALL,
          ink: firstInks({ labelWidth }, paint).stroke,
        }) +
        `<g text-anchor="middle" font-family="${palette.font}" text-rendering="geometricPrecision" font-size="100">` +
        plainText(label, {
          x: 10 * labelStart + 5 * labelLength,
          y: 175,
          length: 10 * labelLength,
          ink: paint.label,
        }) +
        plainText(message, {
          x: 10 * (labelWidth + messageStart) + 5 * messageLength,
          y: 175,
          length: 10 * messageLength,
          ink: paint.value,
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

/** Where the parts of a badge stand: boxes in pixels, text in tenths of a pixel. */
interface Layout {
  readonly width: number;
  /** 0 where there is no label. */
  readonly labelWidth: number;
  readonly valueWidth: number;
  readonly labelX: number;
  readonly labelLength: number;
  /** In pixels. */
  readonly barsX: number;
  readonly messageX: number;
  readonly messageLength: number;
}

/** The geometry that shields.io's flat, flat-square and plastic badges share. */
function layout({ label, message, bars }: Content, { logo }: Palette): Layout {
  const labelLength = oddWidth(label);
  const messageLength = oddWidth(message);
  const logoRoom = logo === undefined ? 0 : LOGO_SIZE + LOGO_PADDING;
  const hasLabel = label.drawn !== "";
  const labelWidth = hasLabel ? logoRoom + labelLength + 2 * PADDING : 0;
  const before = (bars.width === 0 ? 0 : bars.width + PADDING) + (hasLabel ? 0 : logoRoom);
  const valueWidth = before + messageLength + 2 * PADDING;
  // Both texts stand one pixel off the middle of their boxes, towards the seam where there is one.
  const seam = hasLabel ? 1 : 0;
  return {
    width: labelWidth + valueWidth,
    labelWidth,
    valueWidth,
    labelX: 10 * (seam + PADDING + logoRoom) + 5 * labelLength,
    labelLength: 10 * labelLength,
    barsX: labelWidth + PADDING + (hasLabel ? 0 : logoRoom),
    messageX: 10 * (labelWidth - seam + PADDING + before) + 5 * messageLength,
    messageLength: 10 * messageLength,
  };
}

const PADDING = 5;
const LOGO_PADDING = 3;

// An odd width puts the middle of the text on the middle of a pixel.
function oddWidth(line: Line): number {
  return Math.trunc(line.width) | 1;
}

/** The widths of the boxes and the height of the badge, in pixels. */
interface Boxes {
  /** 0 where there is no label. */
  readonly labelWidth: number;
  readonly valueWidth: number;
  readonly height: number;
}

function twoBoxes({ labelWidth, valueWidth, height }: Boxes, paint: TwoTone): string {
  const value = `width="${valueWidth}" height="${height}" ${paint.value.box}/>`;
  if (labelWidth === 0) return `<rect ${value}`;
  return `<rect width="${labelWidth}" height="${height}" ${paint.label.box}/>` +
    `<rect x="${labelWidth}" ${value}`;
}

/** The paint of a badge with a label box and a value box. */
interface TwoTone {
  /** A style element for readers of dark pages, or nothing. */
  readonly css: string;
  readonly label: Inks;
  readonly value: Inks;
}

/** The paint of one box, as attributes ready for a template. */
interface Inks {
  readonly box: string;
  readonly text: string;
  readonly shadow: string;
  /** Of a logo. */
  readonly stroke: string;
}

/** The inks of the leftmost box, which has the logo. */
function firstInks({ labelWidth }: { labelWidth: number }, { label, value }: TwoTone): Inks {
  return labelWidth === 0 ? value : label;
}

/** Fills in the colors that were not chosen, and picks dark text for bright boxes. */
function twoTone(palette: Palette): TwoTone {
  const { theme, failed, labelColor, color } = palette;
  const ground = theme === "dark" ? DARK : theme === "none" ? SHIELDS : LIGHT;
  const labelFill = labelColor ?? ground.label;
  const valueFill = color ?? (failed ? ground.error : ground.value);
  const auto = theme === "auto";
  const labelInk = isBright(labelFill) ? DARK_INK : LIGHT_INK;
  const valueInk = isBright(valueFill) ? DARK_INK : LIGHT_INK;
  return {
    css: auto ? darkRules(palette) : "",
    label: {
      box: paint(labelFill, auto ? "a" : ""),
      text: paint(labelInk.text, auto ? "b" : ""),
      shadow: paint(labelInk.shadow, auto ? "c" : ""),
      stroke: `${auto ? 'class="e" ' : ""}stroke="${labelInk.text}"`,
    },
    value: {
      box: paint(valueFill, auto ? "d" : ""),
      text: paint(valueInk.text, ""),
      shadow: paint(valueInk.shadow, ""),
      stroke: `stroke="${valueInk.text}"`,
    },
  };
}

function paint(color: Color, name: string): string {
  return name === "" ? `fill="${color}"` : `class="${name}" fill="${color}"`;
}

// Only for colors that were not chosen: a chosen color is the same on every page. The text on a value
// box is light in both schemes, so it needs no rule.
function darkRules({ labelColor, color, failed, logo, logoColor }: Palette): string {
  let rules = "";
  if (labelColor === undefined) {
    rules += `.a{fill:${DARK.label}}.b{fill:${LIGHT_INK.text}}.c{fill:${LIGHT_INK.shadow}}`;
    if (logo !== undefined && logoColor === undefined) rules += `.e{stroke:${LIGHT_INK.text}}`;
  }
  if (color === undefined) rules += `.d{fill:${failed ? DARK.error : DARK.value}}`;
  return `<style>@media(prefers-color-scheme:dark){${rules}}</style>`;
}

interface Ground {
  readonly label: Color;
  readonly value: Color;
  readonly error: Color;
}

const SHIELDS: Ground = { label: "#555", value: "#007ec6", error: "#dd4343" };
const LIGHT: Ground = { label: "#e4e9ee", value: "#0a63c9", error: "#c62f2f" };
const DARK: Ground = { label: "#363d47", value: "#1b69d0", error: "#cc3333" };

const LIGHT_INK = { text: "#fff", shadow: "#010101" } satisfies Record<string, Color>;
const DARK_INK = { text: "#333", shadow: "#ccc" } satisfies Record<string, Color>;

/** Where a text stands and how it is painted; x, y of the baseline and length in tenths of a pixel. */
interface TextAt {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly ink: Inks;
  readonly bold?: boolean;
}

/** Draws the text, if there is any, over its shadow, which is hidden from screen readers. */
function shadowedText({ drawn, attributes }: Line, { x, y, length, ink }: TextAt): string {
  if (drawn === "") return "";
  const below = `x="${x}" y="${y + 10}" textLength="${length}"${attributes}`;
  return `<g transform="scale(.1)"><g aria-hidden="true" ${ink.shadow}>` +
    `<text ${below} fill-opacity=".8" filter="url(#blur)">${drawn}</text>` +
    `<text ${below} fill-opacity=".3">${drawn}</text></g>` +
    `<text x="${x}" y="${y}" textLength="${length}"${attributes} ${ink.text}>${drawn}</text></g>`;
}

/** Draws the text, if there is any, without a shadow. */
function plainText({ drawn, attributes }: Line, { x, y, length, ink, bold }: TextAt): string {
  if (drawn === "") return "";
  const weight = bold ? ' font-weight="bold"' : "";
  return `<text x="${x}" y="${y}" textLength="${length}" transform="scale(.1)"` +
    `${weight}${attributes} ${ink.text}>${drawn}</text>`;
}
