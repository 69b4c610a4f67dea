import { VERDANA, verdana11 } from "../verdana.ts";
import { type Cell, cellsOf, drawWords, wordsWidth } from "./digits.ts";
import { type Draw, frame, type Palette, type Style } from "./style.ts";

/** A seven-segment display that glows; zeros before the number are dim. */
export const led: Style = {
  labelFace: verdana11,
  messageFace: verdana11,
  capitals: false,
  bars: false,
  plainDigits: true,
  font: VERDANA,
  painter,
};

const HEIGHT = 36;
const STEP = 20;
const LEFT = 9;

function painter(palette: Palette): Draw {
  const color = palette.valueColor ?? palette.color;
  const glow = color ?? "#ff4b33";
  const light = color ?? "#ff6a4d";
  return (content) => {
    const cells = cellsOf(content, palette);
    const width = cells === undefined ? wordsWidth(content) : cells.length * STEP + 14;
    const panel = `<rect width="${width}" height="${HEIGHT}" rx="5" fill="#17100f"/>` +
      `<rect x="1" y="1" width="${width - 2}" height="${
        HEIGHT - 2
      }" rx="4" fill="none" stroke="#fff" stroke-opacity=".08"/>`;
    const at = { ...content, width, height: HEIGHT, css: "" };
    if (cells === undefined) {
      return frame(
        at,
        panel + drawWords(content, { width, height: HEIGHT, ink: light, font: palette.font }),
      );
    }
    const unlit = cells.map((_, index) => segments(SEGMENTS, index)).join("");
    const dim = cells.map((cell, index) => cell.leading ? lit(cell, index) : "").join("");
    const bright = cells.map((cell, index) => cell.leading ? "" : lit(cell, index)).join("");
    const shown = `${dim === "" ? "" : `<path opacity=".55" d="${dim}"/>`}<path d="${bright}"/>`;
    return frame(
      at,
      `${panel}<g transform="skewX(-5) translate(2.5)" fill="none" stroke-linecap="round">` +
        `<path stroke="${glow}" stroke-opacity=".11" stroke-width="2.8" d="${unlit}"/>` +
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

/** Which segments a digit lights, by their place. */
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
  if (character === "/") return `M${LEFT + index * STEP + 11} 8L${LEFT + index * STEP + 3} 28`;
  return segments(
    (LIT.get(character) ?? []).flatMap((place) => SEGMENTS[place] ? [SEGMENTS[place]] : []),
    index,
  );
}

function segments(some: typeof SEGMENTS, index: number): string {
  return some.map(([x, y, stroke]) => `M${LEFT + index * STEP + x} ${y + 6}${stroke}`).join("");
}
