import { AA, type Color, contrast } from "../../drawing/color.ts";
import { monospace12 } from "../../drawing/face.ts";
import { Inks } from "../../drawing/inks.ts";
import type { Palette } from "../palette.ts";
import { drawText, type Line, tenth } from "../../drawing/text.ts";
import type { Draw, Style } from "./style.ts";

/** A line in a terminal: a prompt, the label, the value in bright bold, a resting cursor. */
export const terminal: Style = {
  names: ["terminal"],
  ignores: ["logo", "logoColor", "digits"],
  labelFace: monospace12,
  messageFace: monospace12,
  font: "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace",
  layout,
};

function layout(palette: Palette, label: Line): Draw {
  const inks = inksOf(palette);
  const labelLength = tenth(label.width);
  const labelEnd = label.drawn === "" ? LABEL_START : LABEL_START + labelLength + GAP;
  const barsStart = Math.ceil(labelEnd);
  const labelText = drawText(label, {
    x: LABEL_START,
    length: labelLength,
    ink: inks.label,
  });
  return ({ message, bars }) => {
    const messageLength = tenth(message.width);
    const messageStart = bars.width === 0 ? labelEnd : barsStart + bars.width + GAP;
    const cursor = tenth(messageStart + messageLength + 4);
    const width = Math.ceil(cursor + 6 + 7);
    const shapes =
      `<rect x=".5" y=".5" width="${
        width - 1
      }" height="19" rx="4"${inks.bg} stroke="#808080" stroke-opacity=".4"/>` +
      `<path d="M8.5 6.5l3.5 3.5-3.5 3.5" fill="none" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"${inks.prompt}/>` +
      `<g font-family="${palette.font}" font-size="12" text-rendering="geometricPrecision">` +
      labelText +
      drawText(message, {
        x: tenth(messageStart),
        length: messageLength,
        ink: inks.value,
        more: ' font-weight="bold"',
      }) +
      "</g>" +
      bars.draw(barsStart, inks.value) +
      `<rect x="${cursor}" y="4.5" width="6" height="11" opacity=".4"${inks.value}/>`;
    return { width, height: 20, css: inks.css, shapes };
  };
}

const LABEL_START = 18;
const GAP = 8;

function inksOf({ theme, failed, bg, labelColor, valueColor, color }: Palette) {
  const inks = new Inks(theme === "none" ? "dark" : theme);
  const legible = (ink: readonly [Color, Color]) => bg === undefined ? ink : legibleOn(bg, ink);
  const label = labelColor ?? legible(COLORS.label);
  const value = valueColor ?? color ?? legible(failed ? COLORS.error : COLORS.value);
  return {
    bg: inks.fill(bg ?? COLORS.bg),
    label: inks.fill(label),
    value: inks.fill(value),
    prompt: inks.stroke(value),
    css: inks.css(),
  };
}

/** Returns the first color with enough contrast to a chosen background. Black or white has it. */
function legibleOn(bg: Color, [light, dark]: readonly [Color, Color]): Color {
  const inks: Color[] = [dark, light, "#fff", "#000"];
  return inks.find((ink) => contrast(ink, bg) >= AA) ?? dark;
}

const COLORS = {
  bg: ["#f6f8fa", "#1e1e1e"],
  label: ["#3d444d", "#d4d4d4"],
  value: ["#116a2c", "#7ee787"],
  error: ["#b3261e", "#ff8f85"],
} as const;
