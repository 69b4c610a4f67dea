import type { Color } from "../../drawing/color.ts";
import { VERDANA, verdana11 } from "../../drawing/face.ts";
import type { Palette } from "../palette.ts";
import { partId } from "../../drawing/inks.ts";
import { drawText, tenth } from "../../drawing/text.ts";
import type { Content, Drawing, Style } from "./style.ts";

// Counters as the old web had them: digits on wheels, on flaps and in segments, without a label.

/** A style of digits in all but its names and its layout. */
export const DIGITS: Omit<Style, "names" | "layout"> = {
  ignores: ["font", "numbers", "locale", "theme", "logo", "logoColor"],
  labelFace: verdana11,
  messageFace: verdana11,
  font: VERDANA,
};

/** The panel of a digit style. Lengths are in pixels. */
interface Panel {
  readonly height: number;
  /** The width of a digit. */
  readonly step: number;
  /** The width of the panel without digits. */
  readonly edges: number;
  /** Color of words, such as those of an error. */
  readonly words: Color;
  /** Draws the panel around digits, or around words that are drawn already. */
  readonly draw: (width: number, content: readonly Cell[] | string) => string;
}

/** Returns a style that draws digits on a panel, and words in Verdana in the middle of it. */
function digitStyle(name: string, panelOf: (palette: Palette) => Panel): Style {
  return {
    ...DIGITS,
    names: [name],
    ignores: ["label", "labelColor", "bg", ...DIGITS.ignores],
    layout(palette) {
      const { height, step, edges, words, draw } = panelOf(palette);
      return (content) => {
        const { message } = content;
        const cells = cellsOf(content, palette);
        const width = cells === undefined
          ? Math.ceil(message.width) + 24
          : cells.length * step + edges;
        const drawWords = () =>
          drawText({ ...message, attributes: ' lengthAdjust="spacingAndGlyphs"' }, {
            x: tenth((width - message.width) / 2),
            y: height / 2 + 4,
            length: message.width,
            ink: ` font-family="${palette.font}" font-size="11" fill="${words}"`,
          });
        return besideBars({ width, height, shapes: draw(width, cells ?? drawWords()) }, content);
      };
    },
  };
}

/** Draws bars behind a panel, twice as high as in a row of text, readable on white and on black. */
export function besideBars(panel: Drawing, { bars }: Content): Drawing {
  if (bars.width === 0) return panel;
  const { width, height, shapes } = panel;
  const drawn = bars.draw(width + 6, ' fill="#6e7781" transform="scale(1 2)"', height / 2);
  return { width: width + 6 + bars.width, height, shapes: shapes + drawn };
}

const WHEEL_WIDTH = 22;
/** From the edge of the frame to the first wheel. */
const FRAME = 7;

/** The wheels of an old car's odometer; the last one, in ivory, is about to turn. */
const wheels = digitStyle("odometer", () => ({
  height: 34,
  step: WHEEL_WIDTH,
  edges: 2 * FRAME,
  words: "#ff9b90",
  draw(width, content) {
    const inner = width - 2 * FRAME;
    const clip = partId("c", width);
    const drawn = typeof content === "string" ? content : drawWheels(content);
    return FINISH +
      `<clipPath id="${clip}"><rect x="${FRAME}" y="4" width="${inner}" height="26" rx="2"/></clipPath>` +
      `<rect width="${width}" height="34" rx="6" fill="url(#${METAL})"/>` +
      `<rect x="5" y="2" width="${inner + 4}" height="30" rx="4"/>` +
      `<g clip-path="url(#${clip})">${drawn}<path fill="url(#${ROUND})" d="M${FRAME} 4h${inner}v26H${FRAME}z"/></g>`;
  },
}));

export const odometer: Style = { ...wheels, ignores: [...wheels.ignores, "color", "valueColor"] };

const METAL = partId("m");
const ROUND = partId("w");

/** A metal shine for the frame, and a shade that makes the wheels look round. */
const FINISH = `<linearGradient id="${ROUND}" x2="0" y2="1"><stop stop-opacity=".75"/>` +
  `<stop offset=".3" stop-opacity="0"/><stop offset=".45" stop-color="#fff" stop-opacity=".14"/>` +
  `<stop offset=".62" stop-opacity="0"/><stop offset="1" stop-opacity=".8"/></linearGradient>` +
  `<linearGradient id="${METAL}" x2="0" y2="1"><stop stop-color="#8b8f92"/>` +
  `<stop offset=".5" stop-color="#4a4e51"/><stop offset="1" stop-color="#2c2f31"/></linearGradient>`;

/** Draws the wheels. All but the last are the dashes of one stroke. */
function drawWheels(cells: readonly Cell[]): string {
  const dark = cells.slice(0, -1);
  const left = FRAME + 0.5;
  const end = left + dark.length * WHEEL_WIDTH;
  const last = cells.at(-1)?.character ?? "";
  const digit = (text: string, y: number) =>
    `<path transform="translate(${end + 5.5} ${y})" d="${STROKES[text] ?? ""}"/>`;
  return `<path stroke="#1b1d1f" stroke-width="26" stroke-dasharray="21 1" d="M${left} 17H${end}"/>` +
    `<rect x="${end}" y="4" width="21" height="26" fill="#efe9da"/>` +
    `<g fill="none" stroke="#f5f2e8" stroke-width="2.3" stroke-linecap="round" stroke-linejoin="round">` +
    drawDigits(dark, { x: left + 5.5, y: 9, step: WHEEL_WIDTH, ink: "" }) +
    // The next digit shows below, as on a wheel that has begun to turn.
    `<g stroke="#b3261e">${digit(last, 6.5)}${
      digit(String((Number(last) + 1) % 10), 26.5)
    }</g></g>`;
}

/** Digits side by side; `ink` has the attributes of their strokes. */
function drawDigits(
  cells: readonly Cell[],
  { x, y, step, ink }: { x: number; y: number; step: number; ink: string },
): string {
  const paths = cells.map(({ character }, index) =>
    `<path transform="translate(${index * step})" d="${STROKES[character] ?? ""}"/>`
  );
  return `<g${ink} transform="translate(${x} ${y})">${paths.join("")}</g>`;
}

const FLAP_STEP = 22;
const BOARD_EDGE = 5;

/** The split flaps of a departure board. */
export const flap: Style = digitStyle("flap", ({ color, valueColor }) => ({
  height: 34,
  step: FLAP_STEP,
  edges: 2 * BOARD_EDGE - 2,
  words: "#ff9b90",
  draw(width, content) {
    const board = `<rect width="${width}" height="34" rx="5" fill="#0d0f10"/>`;
    if (typeof content === "string") return board + content;
    const flaps = content.map((_, index) =>
      `<rect x="${BOARD_EDGE + index * FLAP_STEP}" width="20" height="26" rx="2.5"/>`
    );
    const ink = ` fill="none" stroke="${valueColor ?? color ?? "#f7f3e3"}" stroke-width="2.5" ` +
      `stroke-linecap="round" stroke-linejoin="round"`;
    const across = width - 2 * BOARD_EDGE;
    return `${FLAP_SHADE}${board}<g transform="translate(0 4)" fill="url(#${SHADE})">${
      flaps.join("")
    }</g>` +
      drawDigits(content, { x: BOARD_EDGE + 5, y: 9, step: FLAP_STEP, ink }) +
      `<path stroke="#0d0f10" stroke-width="1.4" d="M${BOARD_EDGE} 17h${across}"/>` +
      `<path stroke="#fff" stroke-opacity=".1" d="M${BOARD_EDGE} 18.2h${across}"/>`;
  },
}));

const SHADE = partId("t");

/** The upper half catches more light than the lower. */
const FLAP_SHADE = `<linearGradient id="${SHADE}" x2="0" y2="1"><stop stop-color="#3c4247"/>` +
  `<stop offset=".5" stop-color="#2c3135"/><stop offset=".5" stop-color="#24292c"/>` +
  `<stop offset="1" stop-color="#2a2f33"/></linearGradient>`;

/** Digits of one pen stroke each, 10 wide and 16 high, with round ends and joins. */
const STROKES: Readonly<Record<string, string>> = {
  "0": "M0 5a5 5 0 0 1 10 0v6a5 5 0 0 1-10 0z",
  "1": "M2 3.2L6 0v16",
  "2": "M.2 4.5C.3 1.8 2.3 0 5 0s4.8 1.8 4.8 4.4c0 3.8-4.3 6-9.6 11.6H10",
  "3":
    "M.5 2.4C1.4.9 2.9 0 4.8 0 7.5 0 9.3 1.5 9.3 3.8S7.5 7.6 4 7.6c3.8 0 6 1.6 6 4.2S7.9 16 4.8 16" +
    "C2.6 16 .9 15 0 13.3",
  "4": "M7.5 16V0L0 11h10",
  "5":
    "M9.2 0H1.5L.8 7.2C2 6.3 3.4 5.9 4.9 5.9 8 5.9 10 7.9 10 10.9S7.9 16 4.8 16C2.7 16 1 15.2 0 13.7",
  "6":
    "M8.8 1.8C8 .6 6.7 0 5.2 0 2 0 0 3.4 0 9c0 4.5 2 7 5 7 2.9 0 5-2 5-4.9S7.9 6.3 5 6.3 0 8.3 0 11",
  "7": "M0 0h10L4 16",
  "8":
    "M5 7.5C2.4 7.5.6 6 .6 3.7S2.4 0 5 0s4.4 1.5 4.4 3.7S7.6 7.5 5 7.5 0 9.2 0 11.7 2.2 16 5 16s5-1.8 " +
    "5-4.3-2.2-4.2-5-4.2z",
  "9":
    "M1.2 14.2C2 15.4 3.3 16 4.8 16 8 16 10 12.6 10 7c0-4.5-2-7-5-7C2.1 0 0 2 0 4.9s2.1 4.8 5 4.8 5-2 5-4.7",
  "/": "M9 0L1 16",
};

const SEGMENT_STEP = 20;
const PANEL_LEFT = 9;

/** A seven-segment display that glows; zeros before the number are dim. */
export const led: Style = digitStyle("led", ({ color, valueColor }) => {
  const glow = valueColor ?? color ?? "#ff4b33";
  const light = valueColor ?? color ?? "#ff6a4d";
  const unlit = partId("u", glow);
  return {
    height: 38,
    step: SEGMENT_STEP,
    edges: 14,
    words: light,
    draw(width, content) {
      const panel = `<rect width="${width}" height="38" rx="5" fill="#17100f"/>` +
        `<rect x="1" y="1" width="${width - 2}" height="36" rx="4" fill="none" stroke="#fff" ` +
        `stroke-opacity=".08"/>`;
      if (typeof content === "string") return panel + content;
      const [dim, bright] = [true, false].map((leading) =>
        content.map((cell, index) => cell.leading === leading ? lit(cell, index) : "").join("")
      );
      const shown = `${dim === "" ? "" : `<path opacity=".55" d="${dim}"/>`}<path d="${bright}"/>`;
      const across = content.length * SEGMENT_STEP;
      return `<pattern id="${unlit}" x="${PANEL_LEFT}" width="${SEGMENT_STEP}" height="38" patternUnits="userSpaceOnUse">` +
        `<path fill="none" stroke-linecap="round" stroke="${glow}" stroke-opacity=".11" stroke-width="2.8" ` +
        `d="${segments("abcdefg", 0)}" transform="translate(-${PANEL_LEFT})"/></pattern>` +
        `${panel}<g transform="skewX(-5) translate(2.5)" fill="none" stroke-linecap="round">` +
        `<path fill="url(#${unlit})" d="M${PANEL_LEFT} 0h${across}v38h-${across}z"/>` +
        `<g stroke="${glow}" stroke-opacity=".2" stroke-width="6">${shown}</g>` +
        `<g stroke="${light}" stroke-width="2.8">${shown}</g></g>`;
    },
  };
});

/** The segments by their usual letters, clockwise from the top: start and stroke. */
const SEGMENTS: Readonly<Record<string, readonly [x: number, y: number, stroke: string]>> = {
  a: [3, 9, "h8"],
  b: [12.5, 10.5, "v7"],
  c: [12.5, 20.5, "v7"],
  d: [3, 29, "h8"],
  e: [1.5, 20.5, "v7"],
  f: [1.5, 10.5, "v7"],
  g: [3, 19, "h8"],
};

/** The segments that each digit lights. */
const LIT = "abcdef bc abged abgcd fgbc afgcd afgedc abc abcdefg gfabcd".split(" ");

function lit({ character }: Cell, index: number): string {
  const x = PANEL_LEFT + index * SEGMENT_STEP;
  return character === "/"
    ? `M${x + 11} 10L${x + 3} 28`
    : segments(LIT[Number(character)] ?? "", index);
}

function segments(names: string, index: number): string {
  const left = PANEL_LEFT + index * SEGMENT_STEP;
  return [...names].map((name) => {
    const [x, y, stroke] = SEGMENTS[name] ?? [0, 0, ""];
    return `M${left + x} ${y}${stroke}`;
  }).join("");
}

/** A digit of a counter, or the slash between two numbers. */
export interface Cell {
  readonly character: string;
  /** True if it is a zero that only pads the number. */
  readonly leading: boolean;
}

/**
 * Returns the cells of a digit style, which are the padded number or two numbers with a slash.
 * Returns undefined for a message in words, such as an error.
 */
export function cellsOf({ message }: Content, { digits }: Palette): readonly Cell[] | undefined {
  const text = message.drawn;
  if (!NUMBERS.test(text)) return undefined;
  const padded = text.padStart(digits, "0");
  const leading = padded.length - text.length;
  return [...padded.replace(" / ", "/")].map((character, index) => ({
    character,
    leading: index < leading,
  }));
}

const NUMBERS = /^\d+( \/ \d+)?$/;
