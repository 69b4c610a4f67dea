import { type Color, contrast } from "../color.ts";
import { monospace12 } from "../face.ts";
import { type Draw, frame, type Palette, type Style } from "./style.ts";
import type { Line } from "../text.ts";

/** A line in a terminal: a prompt, the label, the value in bright bold, a resting cursor. */
export const terminal: Style = {
  labelFace: monospace12,
  messageFace: monospace12,
  capitals: false,
  bars: true,
  font: "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace",
  painter,
};

function painter(palette: Palette): Draw {
  const paint = inks(palette);
  return ({ label, message, bars }) => {
    const labelLength = round(label.width);
    const messageLength = round(message.width);
    const labelEnd = label.drawn === "" ? LABEL_START : LABEL_START + labelLength + GAP;
    const barsStart = Math.ceil(labelEnd);
    const messageStart = bars.width === 0 ? labelEnd : barsStart + bars.width + GAP;
    const cursor = round(messageStart + messageLength + 4);
    const width = Math.ceil(cursor + 6 + 7);
    return frame(
      { width, height: 20, label, message, css: paint.css },
      `<rect x=".5" y=".5" width="${
        width - 1
      }" height="19" rx="4" ${paint.bg} stroke="#808080" stroke-opacity=".4"/>` +
        `<path d="M8.5 6.5l3.5 3.5-3.5 3.5" fill="none" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" ${paint.prompt}/>` +
        `<g text-anchor="middle" font-family="${palette.font}" font-size="12" text-rendering="geometricPrecision">` +
        labelText(label, { length: labelLength, ink: paint.label }) +
        `<text x="${
          messageStart + messageLength / 2
        }" y="14" textLength="${messageLength}" font-weight="bold"${message.attributes} ${paint.value}>${message.drawn}</text></g>` +
        bars.draw(barsStart, paint.value) +
        `<rect x="${cursor}" y="4.5" width="6" height="11" opacity=".4" ${paint.value}/>`,
    );
  };
}

function labelText({ drawn, attributes }: Line, paint: { length: number; ink: string }): string {
  if (drawn === "") return "";
  const { length, ink } = paint;
  const x = LABEL_START + length / 2;
  return `<text x="${x}" y="14" textLength="${length}"${attributes} ${ink}>${drawn}</text>`;
}

const LABEL_START = 18;
const GAP = 8;

function round(width: number): number {
  return Math.round(width * 10) / 10;
}

interface Inks {
  readonly css: string;
  readonly bg: string;
  readonly label: string;
  readonly value: string;
  readonly prompt: string;
}

function inks(palette: Palette): Inks {
  const { theme, failed, bg } = palette;
  const auto = theme === "auto";
  const ground = auto || theme === "light" ? LIGHT : DARK;
  const label = palette.labelColor ?? legible(bg, ground.label, [DARK.label, LIGHT.label]);
  const bright = failed ? "error" : "value";
  const value = palette.valueColor ?? palette.color ??
    legible(bg, ground[bright], [DARK[bright], LIGHT[bright]]);
  let rules = "";
  if (auto && bg === undefined) {
    rules += `.a{fill:${DARK.bg}}`;
    if (palette.labelColor === undefined) rules += `.b{fill:${DARK.label}}`;
    if ((palette.valueColor ?? palette.color) === undefined) {
      rules += `.c{fill:${DARK[bright]}}.d{stroke:${DARK[bright]}}`;
    }
  }
  const name = (letter: string) => auto ? `class="${letter}" ` : "";
  return {
    css: auto ? `<style>@media(prefers-color-scheme:dark){${rules}}</style>` : "",
    bg: `${name("a")}fill="${bg ?? ground.bg}"`,
    label: `${name("b")}fill="${label}"`,
    value: `${name("c")}fill="${value}"`,
    prompt: `${name("d")}stroke="${value}"`,
  };
}

// On a background that was chosen, the first ink with enough contrast (WCAG AA): black or white
// always has it.
function legible(bg: Color | undefined, usual: Color, inks: readonly Color[]): Color {
  if (bg === undefined) return usual;
  return [...inks, "#fff" as const, "#000" as const].find((ink) => contrast(ink, bg) >= AA) ??
    usual;
}

const AA = 4.5;

interface Ground {
  readonly bg: Color;
  readonly label: Color;
  readonly value: Color;
  readonly error: Color;
}

const DARK: Ground = { bg: "#1e1e1e", label: "#d4d4d4", value: "#7ee787", error: "#ff8f85" };
const LIGHT: Ground = { bg: "#f6f8fa", label: "#3d444d", value: "#116a2c", error: "#b3261e" };
