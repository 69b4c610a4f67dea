import { AA, type Color, contrast, mix } from "./color.ts";
import { GREEN, type Ink } from "./inks.ts";

/** The inks of a box whose two parts are in contrast to the text on both. */
export type FilledInks = Readonly<Record<"fill" | "rest" | "text", Ink>>;

/** Fills a box in a color that is changed no further than its text requires. */
export function filledBox(box: Ink): FilledInks {
  return inBothSchemes((scheme) => {
    const color = colorIn(box, scheme);
    const [text, away, back] = contrast(LIGHT_TEXT, color) >= contrast(DARK_TEXT, color)
      ? [LIGHT_TEXT, BLACK, WHITE] as const
      : [DARK_TEXT, WHITE, BLACK] as const;
    const fill = legible(color, { on: [text], toward: away });
    const parts = [0.5, 0.75, 1].map((share) => mix(fill, away, share));
    // Black cannot become darker, nor white lighter.
    const rest = parts.find((part) => contrast(part, fill) >= VISIBLE) ?? mix(fill, back, 0.25);
    return { fill, rest, text };
  });
}

/** Fills a paper with a tint of green, and changes the text no further than both require. */
export function filledPaper(paper: Ink, text: Ink): FilledInks {
  return inBothSchemes((scheme) => {
    const rest = mix(colorIn(paper, scheme), BLACK, 0);
    const [toward, back] = contrast(BLACK, rest) > contrast(WHITE, rest)
      ? [BLACK, WHITE]
      : [WHITE, BLACK];
    const tints = [0.35, 0.25, 0.15].map((share) => mix(rest, GREEN[0], share));
    const fill = tints.find((tint) => contrast(toward, tint) >= AA) ?? mix(rest, back, 0.3);
    return { fill, rest, text: legible(colorIn(text, scheme), { on: [rest, fill], toward }) };
  });
}

function inBothSchemes(derive: (scheme: 0 | 1) => Record<keyof FilledInks, Color>): FilledInks {
  const [light, dark] = [derive(0), derive(1)];
  return {
    fill: [light.fill, dark.fill],
    rest: [light.rest, dark.rest],
    text: [light.text, dark.text],
  };
}

function colorIn(ink: Ink, scheme: 0 | 1): Color {
  return typeof ink === "string" ? ink : ink[scheme];
}

/** The colors of text on a box. */
export const LIGHT_TEXT = "#fff";
export const DARK_TEXT = "#333";
const BLACK: Color = "#000";
const WHITE: Color = "#fff";
/** Contrast from which two parts of a box are told apart. */
const VISIBLE = 1.3;
const STEP = 0.05;

/** Mixes as much of another color into a color as its contrast to the colors below requires. */
function legible(color: Color, { on, toward }: { on: readonly Color[]; toward: Color }): Color {
  for (let share = 0; share < 1; share += STEP) {
    const mixed = mix(color, toward, share);
    if (on.every((ground) => contrast(mixed, ground) >= AA)) return mixed;
  }
  return toward;
}
