import { VERDANA, verdana11 } from "../verdana.ts";
import { cellsOf, drawWords, STROKES, wordsWidth } from "./digits.ts";
import { type Draw, frame, type Palette, type Style } from "./style.ts";

/** The split flaps of a departure board. */
export const flap: Style = {
  labelFace: verdana11,
  messageFace: verdana11,
  capitals: false,
  bars: false,
  plainDigits: true,
  font: VERDANA,
  painter,
};

const HEIGHT = 34;
const STEP = 22;
const EDGE = 5;

function painter(palette: Palette): Draw {
  const ink = palette.valueColor ?? palette.color ?? "#f7f3e3";
  const style = `<style>.n{fill:none;stroke:${ink};stroke-width:2.5;stroke-linecap:round;` +
    `stroke-linejoin:round}</style>`;
  return (content) => {
    const cells = cellsOf(content, palette);
    const width = cells === undefined ? wordsWidth(content) : cells.length * STEP + 2 * EDGE - 2;
    const board = `<rect width="${width}" height="${HEIGHT}" rx="5" fill="#0d0f10"/>`;
    if (cells === undefined) {
      const words = drawWords(content, {
        width,
        height: HEIGHT,
        ink: "#ff9b90",
        font: palette.font,
      });
      return frame({ ...content, width, height: HEIGHT, css: "" }, board + words);
    }
    const flaps = cells.map(({ character }, index) => {
      const x = EDGE + index * STEP;
      return `<rect x="${x}" y="4" width="20" height="26" rx="2.5" fill="url(#t)"/>` +
        `<path class="n" transform="translate(${x + 5} 9)" d="${STROKES.get(character) ?? ""}"/>`;
    });
    const across = width - 2 * EDGE;
    return frame(
      { ...content, width, height: HEIGHT, css: style },
      `${FLAP}${board}${flaps.join("")}` +
        `<path stroke="#0d0f10" stroke-width="1.4" d="M${EDGE} 17h${across}"/>` +
        `<path stroke="#fff" stroke-opacity=".1" d="M${EDGE} 18.2h${across}"/>`,
    );
  };
}

/** The upper half catches more light than the lower. */
const FLAP = `<linearGradient id="t" x2="0" y2="1"><stop stop-color="#3c4247"/>` +
  `<stop offset=".5" stop-color="#2c3135"/><stop offset=".5" stop-color="#24292c"/>` +
  `<stop offset="1" stop-color="#2a2f33"/></linearGradient>`;
