import { VERDANA, verdana11 } from "../face.ts";
import { drawText, type Line } from "../text.ts";
import { type Content, type Draw, frame, type Palette, type Style } from "./style.ts";

// Counters as the old web had them: digits on wheels, on flaps and in segments, without a label.

/** A digit style; words, such as those of an error, are in Verdana. */
export function digitStyle(painter: Style["painter"]): Style {
  return {
    labelFace: verdana11,
    messageFace: verdana11,
    capitals: false,
    bars: false,
    plainDigits: true,
    font: VERDANA,
    painter,
  };
}

/** The wheels of an old car's odometer; the last one, in ivory, is about to turn. */
export const odometer: Style = digitStyle(odometerPainter);

const WHEEL_HEIGHT = 36;
const WHEEL_WIDTH = 22;
/** From the edge of the frame to the first wheel. */
const FRAME = 7;

function odometerPainter(palette: Palette, label: Line): Draw {
  const ink = palette.valueColor ?? palette.color ?? "#f5f2e8";
  const style = `<style>.n{fill:none;stroke:${ink};stroke-width:2.3;stroke-linecap:round;` +
    `stroke-linejoin:round}.r{stroke:#b3261e}</style>`;
  return (content) => {
    const cells = cellsOf(content, palette);
    const width = cells === undefined
      ? wordsWidth(content)
      : cells.length * WHEEL_WIDTH + 2 * FRAME;
    const inner = width - 2 * FRAME;
    const drawn = cells === undefined
      ? drawWords(content, { width, height: WHEEL_HEIGHT, ink: "#ff9b90", font: palette.font })
      : drawWheels(cells);
    return frame(
      { ...content, label, width, height: WHEEL_HEIGHT, css: style },
      FINISH +
        `<clipPath id="c"><rect x="${FRAME}" y="5" width="${inner}" height="26" rx="2"/></clipPath>` +
        `<rect width="${width}" height="${WHEEL_HEIGHT}" rx="6" fill="url(#f)"/>` +
        `<rect x="5" y="3" width="${inner + 4}" height="30" rx="4"/>` +
        `<g clip-path="url(#c)">${drawn}<path fill="url(#w)" d="M${FRAME} 5h${inner}v26H${FRAME}z"/></g>`,
    );
  };
}

/** A metal shine for the frame, and a shade that makes the wheels look round. */
const FINISH = `<linearGradient id="w" x2="0" y2="1"><stop stop-opacity=".75"/>` +
  `<stop offset=".3" stop-opacity="0"/><stop offset=".45" stop-color="#fff" stop-opacity=".14"/>` +
  `<stop offset=".62" stop-opacity="0"/><stop offset="1" stop-opacity=".8"/></linearGradient>` +
  `<linearGradient id="f" x2="0" y2="1"><stop stop-color="#8b8f92"/>` +
  `<stop offset=".5" stop-color="#4a4e51"/><stop offset="1" stop-color="#2c2f31"/></linearGradient>`;

/** The wheels but the last are the dashes of one stroke. */
function drawWheels(cells: readonly Cell[]): string {
  const dark = cells.slice(0, -1);
  const left = FRAME + 0.5;
  const end = left + dark.length * WHEEL_WIDTH;
  const last = cells.at(-1)?.character ?? "";
  const digit = (text: string, y: number) =>
    `<path class="n r" transform="translate(${end + 5.5} ${y})" d="${STROKES.get(text) ?? ""}"/>`;
  return `<path stroke="#1b1d1f" stroke-width="26" stroke-dasharray="21 1" d="M${left} 18H${end}"/>` +
    drawDigits(dark, { x: left + 5.5, y: 10, step: WHEEL_WIDTH, ink: ' class="n"' }) +
    `<rect x="${end}" y="5" width="21" height="26" fill="#efe9da"/>` +
    // The next digit shows below, as on a wheel that has begun to turn.
    digit(last, 7.5) + digit(String((Number(last) + 1) % 10), 27.5);
}

/** Digits side by side; `ink` has the attributes of their strokes. */
function drawDigits(
  cells: readonly Cell[],
  { x, y, step, ink }: { x: number; y: number; step: number; ink: string },
): string {
  const paths = cells.map(({ character }, index) =>
    `<path transform="translate(${index * step})" d="${STROKES.get(character) ?? ""}"/>`
  );
  return `<g${ink} transform="translate(${x} ${y})">${paths.join("")}</g>`;
}

/** The split flaps of a departure board. */
export const flap: Style = digitStyle(flapPainter);

const BOARD_HEIGHT = 34;
const FLAP_STEP = 22;
const BOARD_EDGE = 5;

function flapPainter(palette: Palette, label: Line): Draw {
  const color = palette.valueColor ?? palette.color ?? "#f7f3e3";
  const ink = ` fill="none" stroke="${color}" stroke-width="2.5" stroke-linecap="round" ` +
    `stroke-linejoin="round"`;
  return (content) => {
    const cells = cellsOf(content, palette);
    const width = cells === undefined
      ? wordsWidth(content)
      : cells.length * FLAP_STEP + 2 * BOARD_EDGE - 2;
    const board = `<rect width="${width}" height="${BOARD_HEIGHT}" rx="5" fill="#0d0f10"/>`;
    if (cells === undefined) {
      const words = drawWords(content, {
        width,
        height: BOARD_HEIGHT,
        ink: "#ff9b90",
        font: palette.font,
      });
      return frame({ ...content, label, width, height: BOARD_HEIGHT, css: "" }, board + words);
    }
    const flaps = cells.map((_, index) =>
      `<rect x="${BOARD_EDGE + index * FLAP_STEP}" width="20" height="26" rx="2.5"/>`
    );
    const across = width - 2 * BOARD_EDGE;
    return frame(
      { ...content, label, width, height: BOARD_HEIGHT, css: "" },
      `${FLAP_SHADE}${board}<g transform="translate(0 4)" fill="url(#t)">${flaps.join("")}</g>` +
        drawDigits(cells, { x: BOARD_EDGE + 5, y: 9, step: FLAP_STEP, ink }) +
        `<path stroke="#0d0f10" stroke-width="1.4" d="M${BOARD_EDGE} 17h${across}"/>` +
        `<path stroke="#fff" stroke-opacity=".1" d="M${BOARD_EDGE} 18.2h${across}"/>`,
    );
  };
}

/** The upper half catches more light than the lower. */
const FLAP_SHADE = `<linearGradient id="t" x2="0" y2="1"><stop stop-color="#3c4247"/>` +
  `<stop offset=".5" stop-color="#2c3135"/><stop offset=".5" stop-color="#24292c"/>` +
  `<stop offset="1" stop-color="#2a2f33"/></linearGradient>`;

/** Digits of one pen stroke each, 10 wide and 16 high, with round ends and joins. */
const STROKES: ReadonlyMap<string, string> = new Map([
  ["0", "M0 5a5 5 0 0 1 10 0v6a5 5 0 0 1-10 0z"],
  ["1", "M2 3.2L6 0v16"],
  ["2", "M.2 4.5C.3 1.8 2.3 0 5 0s4.8 1.8 4.8 4.4c0 3.8-4.3 6-9.6 11.6H10"],
  [
    "3",
    "M.5 2.4C1.4.9 2.9 0 4.8 0 7.5 0 9.3 1.5 9.3 3.8S7.5 7.6 4 7.6c3.8 0 6 1.6 6 4.2S7.9 16 4.8 16" +
    "C2.6 16 .9 15 0 13.3",
  ],
  ["4", "M7.5 16V0L0 11h10"],
  [
    "5",
    "M9.2 0H1.5L.8 7.2C2 6.3 3.4 5.9 4.9 5.9 8 5.9 10 7.9 10 10.9S7.9 16 4.8 16C2.7 16 1 15.2 0 13.7",
  ],
  [
    "6",
    "M8.8 1.8C8 .6 6.7 0 5.2 0 2 0 0 3.4 0 9c0 4.5 2 7 5 7 2.9 0 5-2 5-4.9S7.9 6.3 5 6.3 0 8.3 0 11",
  ],
  ["7", "M0 0h10L4 16"],
  [
    "8",
    "M5 7.5C2.4 7.5.6 6 .6 3.7S2.4 0 5 0s4.4 1.5 4.4 3.7S7.6 7.5 5 7.5 0 9.2 0 11.7 2.2 16 5 16s5-1.8 " +
    "5-4.3-2.2-4.2-5-4.2z",
  ],
  [
    "9",
    "M1.2 14.2C2 15.4 3.3 16 4.8 16 8 16 10 12.6 10 7c0-4.5-2-7-5-7C2.1 0 0 2 0 4.9s2.1 4.8 5 4.8 5-2 5-4.7",
  ],
  ["/", "M9 0L1 16"],
]);

/** A seven-segment display that glows; zeros before the number are dim. */
export const led: Style = digitStyle(ledPainter);

const PANEL_HEIGHT = 36;
const SEGMENT_STEP = 20;
const PANEL_LEFT = 9;

function ledPainter(palette: Palette, label: Line): Draw {
  const color = palette.valueColor ?? palette.color;
  const glow = color ?? "#ff4b33";
  const light = color ?? "#ff6a4d";
  return (content) => {
    const cells = cellsOf(content, palette);
    const width = cells === undefined ? wordsWidth(content) : cells.length * SEGMENT_STEP + 14;
    const panel = `<rect width="${width}" height="${PANEL_HEIGHT}" rx="5" fill="#17100f"/>` +
      `<rect x="1" y="1" width="${width - 2}" height="${
        PANEL_HEIGHT - 2
      }" rx="4" fill="none" stroke="#fff" stroke-opacity=".08"/>`;
    const at = { ...content, label, width, height: PANEL_HEIGHT, css: "" };
    if (cells === undefined) {
      return frame(
        at,
        panel + drawWords(content, { width, height: PANEL_HEIGHT, ink: light, font: palette.font }),
      );
    }
    const dim = cells.map((cell, index) => cell.leading ? lit(cell, index) : "").join("");
    const bright = cells.map((cell, index) => cell.leading ? "" : lit(cell, index)).join("");
    const shown = `${dim === "" ? "" : `<path opacity=".55" d="${dim}"/>`}<path d="${bright}"/>`;
    const across = cells.length * SEGMENT_STEP;
    return frame(
      at,
      `<pattern id="u" x="${PANEL_LEFT}" width="${SEGMENT_STEP}" height="36" patternUnits="userSpaceOnUse">` +
        `<path fill="none" stroke-linecap="round" stroke="${glow}" stroke-opacity=".11" stroke-width="2.8" ` +
        `d="${segments(SEGMENTS, 0)}" transform="translate(-${PANEL_LEFT})"/></pattern>` +
        `${panel}<g transform="skewX(-5) translate(2.5)" fill="none" stroke-linecap="round">` +
        `<path fill="url(#u)" d="M${PANEL_LEFT} 0h${across}v36h-${across}z"/>` +
        `<g stroke="${glow}" stroke-opacity=".2" stroke-width="6">${shown}</g>` +
        `<g stroke="${light}" stroke-width="2.8">${shown}</g></g>`,
    );
  };
}

/** Top, upper right, lower right, bottom, lower left, upper left, middle: start and stroke. */
const SEGMENTS: readonly (readonly [x: number, y: number, stroke: string])[] = [
  [3, 1, "h8"],
  [12.5, 2.5, "v8"],
  [12.5, 13.5, "v8"],
  [3, 23, "h8"],
  [1.5, 13.5, "v8"],
  [1.5, 2.5, "v8"],
  [3, 12, "h8"],
];

/** The segments that a digit lights, by index. */
const LIT: ReadonlyMap<string, readonly number[]> = new Map([
  ["0", [0, 1, 2, 3, 4, 5]],
  ["1", [1, 2]],
  ["2", [0, 1, 6, 4, 3]],
  ["3", [0, 1, 6, 2, 3]],
  ["4", [5, 6, 1, 2]],
  ["5", [0, 5, 6, 2, 3]],
  ["6", [0, 5, 6, 4, 2, 3]],
  ["7", [0, 1, 2]],
  ["8", [0, 1, 2, 3, 4, 5, 6]],
  ["9", [6, 5, 0, 1, 2, 3]],
]);

function lit({ character }: Cell, index: number): string {
  const x = PANEL_LEFT + index * SEGMENT_STEP;
  if (character === "/") return `M${x + 11} 8L${x + 3} 28`;
  return segments(
    (LIT.get(character) ?? []).flatMap((place) => SEGMENTS.slice(place, place + 1)),
    index,
  );
}

function segments(some: typeof SEGMENTS, index: number): string {
  const left = PANEL_LEFT + index * SEGMENT_STEP;
  return some.map(([x, y, stroke]) => `M${left + x} ${y + 6}${stroke}`).join("");
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

/** Draws words in the middle of a panel, where there is no number to show. */
function drawWords(
  { message }: Content,
  { width, height, ink, font }: { width: number; height: number; ink: string; font: string },
): string {
  return drawText({ ...message, attributes: ' lengthAdjust="spacingAndGlyphs"' }, {
    x: width / 2,
    y: height / 2 + 4,
    length: Math.min(message.width, width - 12),
    ink: ` font-family="${font}" font-size="11" fill="${ink}"`,
    font: ' text-anchor="middle"',
  });
}

/** The width of a panel of words in pixels. */
function wordsWidth({ message }: Content): number {
  return Math.ceil(message.width) + 24;
}
