import type { Look } from "./look.ts";
import { cleanText, setLine } from "./text.ts";

/** Draws a badge as an SVG document. */
export function renderBadge(look: Look, message: string): string {
  const { style } = look;
  return look.draw(look.line, setLine(cleanText(message), style.messageFace, style.capitals));
}

/** Draws the badge that says what went wrong: the same look, its value in red. */
export function renderError(look: Look, message: string): string {
  const { style, palette, line } = look;
  const draw = style.painter({ ...palette, color: undefined, valueColor: undefined, failed: true });
  return draw(line, setLine(cleanText(message), style.messageFace, style.capitals));
}
