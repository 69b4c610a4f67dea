import { filledPaper } from "../../drawing/goal.ts";
import { type Face, makeFace } from "../../drawing/face.ts";
import { ERROR, Inks, partId } from "../../drawing/inks.ts";
import type { Palette } from "../palette.ts";
import { drawText, type Line, tenth } from "../../drawing/text.ts";
import { drawLogo, LOGO_SIZE, LOGOS } from "./logo.ts";
import type { Draw, Style } from "./style.ts";

/** Helvetica bold at 11 px, with the advances of Adobe's font metrics (Helvetica-Bold.afm). */
const helveticaBold11: Face = makeFace({
  unitsPerEm: 1100,
  emoji: 1300,
  isBold: true,
  advances:
    `U+0020 306 366 521 612 612 978 794 262 366 366 428 642 306 366 306 306 612 612 612 612 612 612
    612 612 612 612 366 366 642 642 642 672 1073 794 794 794 794 734 672 856 794 306 612 794 672
    916 794 856 734 856 794 734 672 794 734 1038 734 734 672 366 306 366 642 612 366 612 672 612
    672 612 366 672 672 306 306 612 306 978 672 672 672 672 428 612 366 672 612 856 612 612 550 428
    308 428 642`,
}, 11);

/** shields.io's social: a button with the label, and a bubble with the count. */
export const social: Style = {
  names: ["social"],
  ignores: ["bg", "digits"],
  labelFace: helveticaBold11,
  messageFace: helveticaBold11,
  font: "Helvetica Neue,Helvetica,Arial,sans-serif",
  layout,
};

const HEIGHT = 20;
const EDGE = 6;
const GAP = 7;

function layout(palette: Palette, label: Line): Draw {
  const inks = inksOf(palette);
  const logo = { ...palette, logo: palette.logo ?? LOGOS.get("tally") };
  const shade = partId("g", palette.theme);
  const labelLength = tenth(label.width);
  const labelX = EDGE + LOGO_SIZE + 4;
  const labelEnd = label.drawn === "" ? EDGE + LOGO_SIZE : labelX + labelLength;
  const button = Math.ceil(labelEnd + EDGE);
  const labelText = drawText(capitalized(label), {
    x: labelX,
    length: labelLength,
    ink: inks.label,
  });
  return ({ message, bars, share }) => {
    const messageLength = tenth(message.width);
    const bubble = button + GAP;
    const barsWidth = bars.width === 0 ? 0 : bars.width + EDGE;
    const bubbleWidth = Math.ceil(barsWidth + messageLength + 10);
    const width = bubble + bubbleWidth;
    const outline = `M${bubble + 0.5} 7.5v-4a3 3 0 0 1 3-3h${
      bubbleWidth - 7
    }a3 3 0 0 1 3 3v13a3 3 0 0 1-3 3h-${bubbleWidth - 7}a3 3 0 0 1-3-3v-4l-3-2.5z`;
    const clip = partId("o", bubble, bubbleWidth);
    const filled = share === 0 ? "" : `<clipPath id="${clip}"><path d="${outline}"/></clipPath>` +
      `<rect clip-path="url(#${clip})" x="${bubble + 1}" y="1" width="${
        tenth(share * (bubbleWidth - 2))
      }" height="18"${inks.fill}/>`;
    const shapes =
      `<linearGradient id="${shade}" x2="0" y2="1"><stop${inks.top}/><stop offset="1"${inks.foot}/></linearGradient>` +
      `<rect x=".5" y=".5" width="${
        button - 1
      }" height="19" rx="3" fill="url(#${shade})"${inks.edge}/>` +
      `<path${inks.bubble} d="${outline}"/>${filled}` +
      bars.draw(bubble + EDGE, inks.value) +
      drawLogo(logo, { x: EDGE, height: HEIGHT, ink: inks.stroke }) +
      `<g font-family="${palette.font}" font-weight="bold" font-size="11" text-rendering="geometricPrecision">` +
      labelText +
      drawText(message, {
        x: tenth(bubble + (bubbleWidth + barsWidth - messageLength) / 2),
        length: messageLength,
        ink: inks.value,
      }) +
      "</g>";
    return { width, height: HEIGHT, css: inks.css, shapes };
  };
}

/** Capitalizes a label, as shields.io does. */
function capitalized(label: Line): Line {
  const { drawn } = label;
  if (!/^[a-z]/.test(drawn)) return label;
  return { ...label, drawn: drawn.charAt(0).toUpperCase() + drawn.slice(1) };
}

function inksOf({ theme, failed, color, valueColor, labelColor, goal }: Palette) {
  const inks = new Inks(theme === "none" ? "light" : theme);
  const { edge, ink, bubble: paper } = COLORS;
  const value = valueColor ?? color ?? (failed ? ERROR : ink);
  const filled = goal === undefined ? undefined : filledPaper(paper, value);
  return {
    top: inks.attributes({ "stop-color": COLORS.top }),
    foot: inks.attributes({ "stop-color": COLORS.foot }),
    edge: inks.stroke(edge),
    bubble: inks.attributes({ fill: paper, stroke: edge }),
    stroke: inks.stroke(ink),
    label: inks.fill(labelColor ?? ink),
    value: inks.fill(filled?.text ?? value),
    fill: filled === undefined ? "" : inks.fill(filled.fill),
    css: inks.css(),
  };
}

const COLORS = {
  top: ["#fcfcfc", "#2b3230"],
  foot: ["#ebebeb", "#1e2423"],
  edge: ["#d0d4d1", "#3f4946"],
  bubble: ["#fafafa", "#161b1a"],
  ink: ["#333", "#e8edeb"],
} as const;
