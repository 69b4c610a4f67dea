import type { Look } from "./look.ts";
import type { Bars } from "./styles/style.ts";
import { cleanText, type Line, setLine } from "./text.ts";

/** What a badge may show beside its label and its message. */
export interface BadgeOptions {
  /** Only for a style that has room for them. */
  readonly bars?: Bars;
}

/** Draws a badge as an SVG document. */
export function renderBadge(
  look: Look,
  message: string,
  { bars = NO_BARS }: BadgeOptions = {},
): string {
  return look.draw({ label: look.line, message: messageLine(look, message), bars });
}

/** Draws the badge that says what went wrong: the same look, its value in red. */
export function renderError(look: Look, message: string): string {
  const { style, palette, line: label } = look;
  const draw = style.painter({ ...palette, color: undefined, valueColor: undefined, failed: true });
  return draw({ label, message: messageLine(look, message), bars: NO_BARS });
}

/** Stands for bars where there are none. */
export const NO_BARS: Bars = { width: 0, tag: "", draw: () => "" };

function messageLine({ style }: Look, message: string): Line {
  return setLine(cleanText(message), style.messageFace, style.capitals);
}
