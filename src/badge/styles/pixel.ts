import type { Palette } from "../palette.ts";
import { graphemes, type Line } from "../../drawing/text.ts";
import { besideBars, cellsOf, DIGITS } from "./digits.ts";
import type { Content, Draw, Style } from "./style.ts";

/** A score of an old video game, with 5 by 7 dots a letter. Zeros before the number are dim. */
export const pixel: Style = { ...DIGITS, names: ["pixel"], layout };

const HEIGHT = 30;
/** Pixels to a dot. */
const SCALE = 2;
/** Dots to a letter with the gap behind it. */
const STEP = 6;
/** Dots before the first letter and behind the last, and between label and number. */
const EDGE = 3;
const GAP = 2;
/** A longer label is left out: each of its letters takes up to 100 bytes. */
const MAX_LABEL = 24;

function layout(palette: Palette, label: Line): Draw {
  const { bg = "#22194d", labelColor = "#8fd6ff" } = palette;
  const bright = palette.valueColor ?? palette.color ?? (palette.failed ? "#ff8f85" : "#ffd24a");
  const letters = lettersOf(label);
  const drawnLabel = letters.map((letter, index) => dots(letter, EDGE + index * STEP)).join("");
  return (content) => {
    const digits = cellsOf(content, palette);
    const cells = digits ??
      wordsOf(content).map((character) => ({ character, leading: false }));
    const start = EDGE + (letters.length === 0 ? 0 : letters.length * STEP + GAP);
    const width = SCALE * (start + cells.length * STEP - 1 + EDGE);
    const [number = "", leading = ""] = [false, true].map((shown) =>
      cells.map(({ character, leading }, index) =>
        leading === shown ? dots(character, start + index * STEP) : ""
      ).join("")
    );
    const drawn = (color: string, d: string) => `<path stroke="${color}" d="${d}"/>`;
    const shapes = `<path fill="${bg}" d="M2 0h${width - 4}v2h2v26h-2v2H2v-2H0V2h2z"/>` +
      `<g transform="scale(${SCALE}) translate(0 1.5)" fill="none">` +
      // Words take many dots: a shadow would double them.
      (digits === undefined
        ? ""
        : `<g transform="translate(.5 .5)" opacity=".6">${drawn("#000", number)}</g>`) +
      (label.drawn === "" ? "" : drawn(labelColor, drawnLabel)) +
      `${leading === "" ? "" : drawn("#6a5aae", leading)}${drawn(bright, number)}</g>`;
    return besideBars({ width, height: HEIGHT, shapes }, content);
  };
}

/**
 * Returns the label in capitals, or none if a letter has no dots. Screen readers still say the
 * label.
 */
function lettersOf(label: Line): string[] {
  const letters = [...label.drawn.toUpperCase()];
  const isShort = letters.length <= MAX_LABEL;
  return isShort && letters.every((letter) => LETTERS.has(letter)) ? letters : [];
}

function wordsOf({ message }: Content): string[] {
  const text = message.drawn.replaceAll(/&[^;]+;/g, " ").toUpperCase();
  return Array.from(graphemes(text), ({ segment }) => segment);
}

/** Draws the dots of a letter in rows, as strokes of one dot's height. */
function dots(letter: string, left: number): string {
  let path = "";
  [...LETTERS.get(letter) ?? ""].forEach((row, y) => {
    const bits = parseInt(row, 32).toString(2).padStart(5, "0");
    for (const { 0: run, index } of bits.matchAll(/1+/g)) {
      path += `M${left + index} ${y + 3}h${run.length}`;
    }
  });
  return path;
}

/** Letters as seven rows of five dots, a digit to the base of 32 for each row. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  ("0ehhhhhe 14c4444e 2eh168gv 3eh1e1he 426aiv22 5vgu11he 668guhhe 7v124444 8ehheheh 9ehhf12c " +
    "Aehhvhhh Buhhuhhu Cehggghe Duhhhhhu Evgguggv Fvgguggg Gehgnhhf Hhhhvhhh Ie44444e J722222ic " +
    "Khikokih Lggggggv Mhrllhhh Nhhpljhh Oehhhhhe Puhhuggg Qehhhlid Ruhhukih Sfgge11u Tv444444 " +
    "Uhhhhhhe Vhhhhha4 Whhhllla Xhha4ahh Yhha4444 Zv1248gv -000e000 _000000v .00000cc :0cc0cc0 " +
    "/01248g0")
    .split(" ").map((entry): [string, string] => [entry.charAt(0), entry.slice(1, 8)])
    .concat([[" ", "0000000"]]),
);
