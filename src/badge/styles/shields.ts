import { type Color, isBright } from "../../drawing/color.ts";
import { DARK_TEXT, filledBox, type FilledInks, LIGHT_TEXT } from "../../drawing/goal.ts";
import { VERDANA, verdana10, verdana11, verdanaBold10 } from "../../drawing/face.ts";
import { type Ink, Inks, mapInk, partId } from "../../drawing/inks.ts";
import type { Palette } from "../palette.ts";
import { drawText, type Line, tenth, type TextAt } from "../../drawing/text.ts";
import { drawLogo, LOGO_SIZE } from "./logo.ts";
import type { Draw, Style } from "./style.ts";

// The four styles of shields.io that have a box for the label and one for the message, to the pixel
// as badge-maker 6 draws them.

/**
 * The differences between the styles. Lengths of text are in tenths of a pixel, others in pixels.
 */
interface Shape extends Omit<Style, "font" | "layout"> {
  readonly height: number;
  /** Between a text and the edges of its box. */
  readonly padding: number;
  /** The left edge of a logo, and the distance between a logo and the text. */
  readonly logoX: number;
  readonly logoGap: number;
  /** Distance from the middle of each text to the middle of its box, towards the other box. */
  readonly seam: number;
  readonly fontSize: number;
  readonly baseline: number;
  readonly lengthOf: (line: Line) => number;
  /** Attributes of the message, with a leading space. */
  readonly weight?: string;
  /** Rounds the corners, draws a gradient over both boxes, and adds shadows below texts. */
  readonly gloss?: { readonly radius: number; readonly stops: string };
}

const FLAT_SQUARE: Shape = {
  names: ["flat-square"],
  ignores: ["bg", "valueColor", "digits"],
  labelFace: verdana11,
  messageFace: verdana11,
  height: 20,
  padding: 5,
  logoX: 5,
  logoGap: 3,
  seam: 1,
  fontSize: 110,
  baseline: 140,
  // An odd width puts the middle of the text on the middle of a pixel.
  lengthOf: ({ width }) => Math.trunc(width) | 1,
};

/** Flat-square of shields.io: two plain boxes. */
export const flatSquare: Style = shieldsStyle(FLAT_SQUARE);

/** Flat of shields.io and the default: rounded corners, a faint shine, text with a soft shadow. */
export const classic: Style = shieldsStyle({
  ...FLAT_SQUARE,
  names: ["classic", "flat"],
  gloss: {
    radius: 3,
    stops: `<stop stop-color="#bbb" stop-opacity=".1"/>` +
      `<stop offset="1" stop-opacity=".1"/>`,
  },
});

/** Plastic of shields.io: lower, rounder and glossy. */
export const plastic: Style = shieldsStyle({
  ...FLAT_SQUARE,
  names: ["plastic"],
  height: 18,
  baseline: 130,
  gloss: {
    radius: 4,
    stops: `<stop stop-color="#fff" stop-opacity=".7"/>` +
      `<stop offset=".1" stop-color="#aaa" stop-opacity=".1"/>` +
      `<stop offset=".9" stop-opacity=".3"/><stop offset="1" stop-opacity=".5"/>`,
  },
});

/** Pixels that `textLength` adds to each letter of for-the-badge. */
const LETTER_SPACING = 1.25;

/** For-the-badge of shields.io: tall, in spaced capitals, the message bold. */
export const forTheBadge: Style = shieldsStyle({
  names: ["for-the-badge"],
  ignores: FLAT_SQUARE.ignores,
  labelFace: verdana10,
  messageFace: verdanaBold10,
  height: 28,
  padding: 12,
  logoX: 9,
  logoGap: 6,
  seam: 0,
  fontSize: 100,
  baseline: 175,
  lengthOf: ({ width, spaced }) => Math.trunc(width) + LETTER_SPACING * spaced,
  weight: ' font-weight="bold"',
  capitals: true,
});

function shieldsStyle(shape: Shape): Style {
  return {
    ...shape,
    font: VERDANA,
    layout: (palette, label) => layoutBoxes(shape, palette, label),
  };
}

/** Boxes are laid out in pixels, texts in tenths of a pixel. */
function layoutBoxes(shape: Shape, palette: Palette, label: Line): Draw {
  const { height, padding, logoX, baseline: y, lengthOf, weight = "" } = shape;
  const inks = inksOf(palette, shape.gloss !== undefined);
  const drawGround = groundOf(shape);
  const drawLine = shape.gloss === undefined ? plainText : shadowedText;

  const hasLabel = label.drawn !== "";
  const start = palette.logo === undefined ? padding : logoX + LOGO_SIZE + shape.logoGap;
  const seam = hasLabel ? shape.seam : 0;
  const labelLength = lengthOf(label);
  const labelWidth = hasLabel ? start + labelLength + padding : 0;
  const labelBox = `<rect width="${labelWidth}" height="${height}"${inks.label.box}/>`;
  const boxes = hasLabel ? `${labelBox}<rect x="${labelWidth}"` : "<rect";
  const logo = drawLogo(palette, {
    x: logoX,
    height,
    ink: hasLabel ? inks.label.stroke : inks.value.stroke,
  });
  const words = `<g font-family="${palette.font}" ` +
    `text-rendering="geometricPrecision" font-size="${shape.fontSize}">` +
    drawLine(label, {
      x: 10 * (seam + start),
      y,
      length: 10 * labelLength,
      ink: inks.label,
    });

  const barsStart = hasLabel ? padding : start;
  return ({ message, bars, share }) => {
    const length = lengthOf(message);
    const messageStart = barsStart + (bars.width === 0 ? 0 : bars.width + padding);
    const valueWidth = messageStart + length + padding;
    const width = labelWidth + valueWidth;
    const x = 10 * (labelWidth - seam + messageStart);
    const filled = share === 0
      ? ""
      : `<rect x="${labelWidth}" width="${
        tenth(share * valueWidth)
      }" height="${height}"${inks.value.fill}/>`;
    const shapes = drawGround(
      `${boxes} width="${valueWidth}" height="${height}"${inks.value.box}/>${filled}`,
      width,
    ) +
      logo + bars.draw(labelWidth + barsStart, inks.value.text, height) + words +
      drawLine(message, { x, y, length: 10 * length, ink: inks.value, more: weight }) + "</g>";
    return { width, height, css: inks.css, shapes };
  };
}

/** Returns a function that draws the ground around both boxes. */
function groundOf({ height, gloss }: Shape): (boxes: string, width: number) => string {
  if (gloss === undefined) return (boxes) => `<g shape-rendering="crispEdges">${boxes}</g>`;
  const [shine, corners] = [partId("s", height), partId("r", height)];
  const above = `<filter id="${BLUR}"><feGaussianBlur stdDeviation="16"/></filter>` +
    `<linearGradient id="${shine}" x2="0" y2="100%">${gloss.stops}</linearGradient>` +
    `<clipPath id="${corners}_`;
  const ends = `height="${height}" rx="${gloss.radius}"/></clipPath><g clip-path="url(#${corners}_`;
  const over = `height="${height}" fill="url(#${shine})"/></g>`;
  return (boxes, width) =>
    `${above}${width}"><rect width="${width}" ${ends}${width})">${boxes}<rect width="${width}" ${over}`;
}

const BLUR = partId("b");

/** A text in tenths of a pixel, and the inks of its box. */
type LineAt = Omit<TextAt, "ink"> & { readonly y: number; readonly ink: BoxInks };

function plainText(line: Line, { ink, more = "", ...at }: LineAt): string {
  return drawText(line, { ...at, ink: ink.text, more: ` transform="scale(.1)"${more}` });
}

/** Draws a text over its shadow, which is hidden from screen readers. */
function shadowedText(line: Line, { ink, ...at }: LineAt): string {
  if (line.drawn === "") return "";
  const below = (ink: string) => drawText(line, { ...at, y: at.y + 10, ink });
  return `<g transform="scale(.1)"><g aria-hidden="true"${ink.shadow}>` +
    below(` fill-opacity=".8" filter="url(#${BLUR})"`) + below(' fill-opacity=".3"') +
    `</g>${drawText(line, { ...at, ink: ink.text })}</g>`;
}

/** The inks of one box, as attributes ready for a template. */
type BoxInks = ReturnType<typeof inksOf>["label"];

/** Fills in the colors that were not chosen. */
function inksOf(
  { theme, failed, labelColor, color, goal, logo, logoColor }: Palette,
  hasShadow: boolean,
) {
  const colors = theme === "none" ? SHIELDS : THEMED;
  const inks = new Inks(theme === "none" ? "light" : theme);
  const hasLogo = logo !== undefined && logoColor === undefined;
  const shadowOf = (color: Color) => color === DARK_TEXT ? "#ccc" : "#010101";
  const inksOfBox = ({ rest, fill, text }: FilledInks) => ({
    box: inks.fill(rest),
    text: inks.fill(text),
    shadow: hasShadow ? inks.fill(mapInk(text, shadowOf)) : "",
    /** The inks of a logo. */
    stroke: hasLogo ? inks.stroke(text) : "",
    /** The part that shows the share of a goal. */
    fill: fill === rest ? "" : inks.fill(fill),
  });
  const box = color ?? (failed ? colors.error : colors.value);
  return {
    label: inksOfBox(plainBox(labelColor ?? colors.label)),
    value: inksOfBox(goal === undefined ? plainBox(box) : filledBox(box)),
    css: inks.css(),
  };
}

/** Picks dark text for bright boxes. */
function plainBox(box: Ink): FilledInks {
  const text = mapInk(box, (color) => isBright(color) ? DARK_TEXT : LIGHT_TEXT);
  return { rest: box, fill: box, text };
}

const SHIELDS = { label: "#555", value: "#007ec6", error: "#dd4343" } as const;
const THEMED = {
  label: ["#e4e9ee", "#363d47"],
  value: ["#0a63c9", "#1b69d0"],
  error: ["#c62f2f", "#cc3333"],
} as const;
