import { AA, type Color, contrast, mix } from "./color.ts";
import type { Counts } from "./number.ts";
import { goal as parameter } from "./parameters.ts";
import { type Ink, mapInk } from "./paint.ts";

/** Returns undefined for anything but a whole number from 1 to 2^53-1. */
export function parseGoal(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const { minimum, maximum } = parameter.schema;
  return Number(text) >= minimum && Number(text) <= maximum ? Number(text) : undefined;
}

/** Returns a count and its goal. Several counts have no goal. */
export function withGoal(counts: Counts, goal: number | undefined): Counts {
  return goal === undefined || typeof counts !== "number" ? counts : [counts, goal];
}

/** Returns the share of a goal that was reached, from 0 to 1. Returns 0 if there is no goal. */
export function shareOf(counts: Counts, goal: number | undefined): number {
  return goal === undefined || typeof counts !== "number" ? 0 : Math.min(1, counts / goal);
}

/** The inks of a box whose two parts are in contrast to the text on both. */
export interface FilledInks {
  readonly fill: Ink;
  readonly rest: Ink;
  readonly text: Ink;
}

/** Fills a box in a color that is changed no further than its text requires. */
export function filledBox(box: Ink): FilledInks {
  const textOn = (color: Color) =>
    contrast(LIGHT_TEXT, color) >= contrast(DARK_TEXT, color) ? LIGHT_TEXT : DARK_TEXT;
  const fill = (color: Color) => {
    const text = textOn(color);
    return legible(color, { on: [text], toward: text === LIGHT_TEXT ? BLACK : WHITE });
  };
  const rest = (color: Color) => {
    const [away, back] = textOn(color) === LIGHT_TEXT
      ? [BLACK, WHITE] as const
      : [WHITE, BLACK] as const;
    const parts = [0.5, 0.75, 1].map((share) => mix(fill(color), away, share));
    // Black cannot become darker, nor white lighter.
    return parts.find((part) => contrast(part, fill(color)) >= VISIBLE) ??
      mix(fill(color), back, 0.25);
  };
  return { fill: mapInk(box, fill), rest: mapInk(box, rest), text: mapInk(box, textOn) };
}

/** Fills a paper with a tint of an accent, and changes the text no further than both require. */
export function filledPaper(
  { paper, text, accent }: { paper: Ink; text: Ink; accent: Color },
): FilledInks {
  const inksIn = (scheme: 0 | 1) => {
    const rest = mix(inScheme(paper, scheme), BLACK, 0);
    const toward = contrast(BLACK, rest) > contrast(WHITE, rest) ? BLACK : WHITE;
    const tints = [0.35, 0.25, 0.15].map((share) => mix(rest, accent, share));
    const away = mix(rest, toward === BLACK ? WHITE : BLACK, 0.3);
    const fill = tints.find((tint) => contrast(toward, tint) >= AA) ?? away;
    return { fill, rest, text: legible(inScheme(text, scheme), { on: [rest, fill], toward }) };
  };
  const [light, dark] = [inksIn(0), inksIn(1)];
  return {
    fill: [light.fill, dark.fill],
    rest: [light.rest, dark.rest],
    text: [light.text, dark.text],
  };
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

function inScheme(ink: Ink, scheme: 0 | 1): Color {
  return typeof ink === "string" ? ink : ink[scheme];
}
