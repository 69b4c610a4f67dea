import { VERDANA, verdana11 } from "../verdana.ts";
import { cellsOf, drawWords, STROKES, wordsWidth } from "./digits.ts";
import { type Draw, frame, type Palette, type Style } from "./style.ts";

/** The wheels of an old car's odometer; the last one, in ivory, is about to turn. */
export const odometer: Style = {
  labelFace: verdana11,
  messageFace: verdana11,
  capitals: false,
  bars: false,
  plainDigits: true,
  font: VERDANA,
  painter,
};

const HEIGHT = 36;
const WHEEL = 22;
/** From the edge of the frame to the first wheel. */
const LEFT = 7;

function painter(palette: Palette): Draw {
  const ink = palette.valueColor ?? palette.color ?? "#f5f2e8";
  const style = `<style>.n{fill:none;stroke:${ink};stroke-width:2.3;stroke-linecap:round;` +
    `stroke-linejoin:round}.r{stroke:#b3261e}</style>`;
  return (content) => {
    const cells = cellsOf(content, palette);
    const width = cells === undefined ? wordsWidth(content) : cells.length * WHEEL + 2 * LEFT;
    const inner = width - 2 * LEFT;
    const drawn = cells === undefined
      ? drawWords(content, { width, height: HEIGHT, ink: "#ff9b90", font: palette.font })
      : cells.map(({ character }, index) =>
        wheel(character, { x: LEFT + index * WHEEL, last: index === cells.length - 1 })
      ).join("");
    return frame(
      { ...content, width, height: HEIGHT, css: style },
      FINISH +
        `<clipPath id="c"><rect x="${LEFT}" y="5" width="${inner}" height="26" rx="2"/></clipPath>` +
        `<rect width="${width}" height="${HEIGHT}" rx="6" fill="url(#f)"/>` +
        `<rect x="5" y="3" width="${inner + 4}" height="30" rx="4"/>` +
        `<g clip-path="url(#c)">${drawn}<path fill="url(#w)" d="M${LEFT} 5h${inner}v26H${LEFT}z"/></g>`,
    );
  };
}

/** The shine of the frame, and the round of the wheels. */
const FINISH = `<linearGradient id="w" x2="0" y2="1"><stop stop-opacity=".75"/>` +
  `<stop offset=".3" stop-opacity="0"/><stop offset=".45" stop-color="#fff" stop-opacity=".14"/>` +
  `<stop offset=".62" stop-opacity="0"/><stop offset="1" stop-opacity=".8"/></linearGradient>` +
  `<linearGradient id="f" x2="0" y2="1"><stop stop-color="#8b8f92"/>` +
  `<stop offset=".5" stop-color="#4a4e51"/><stop offset="1" stop-color="#2c2f31"/></linearGradient>`;

function wheel(character: string, { x, last }: { x: number; last: boolean }): string {
  const box = `<rect x="${x + 0.5}" y="5" width="21" height="26" fill="${
    last ? "#efe9da" : "#1b1d1f"
  }"/>`;
  const digit = (text: string, y: number) =>
    `<path class="n${last ? " r" : ""}" transform="translate(${x + 6} ${y})" d="${
      STROKES.get(text) ?? ""
    }"/>`;
  if (!last) return box + digit(character, 10);
  // The next digit shows below, as on a wheel that has begun to turn.
  return box + digit(character, 7.5) + digit(String((Number(character) + 1) % 10), 27.5);
}
