import type { Failing } from "../badge/badge.ts";
import { cleanText } from "../badge/text.ts";
import { frame, paintOf, type PictureLook } from "./look.ts";
import { drawType, setType, setWithin } from "./type.ts";

const MARGIN = 16;

/** Draws what went wrong in the size of the picture that it stands in for: its frame, its label and one sentence. */
export function drawFailure(
  { badge, detail }: Failing,
  { look, size }: { look: PictureLook; size: { width: number; height: number } },
): string {
  const { width, height } = size;
  const paint = paintOf(look, size);
  const room = width - 2 * MARGIN;
  const small = { size: 12, bold: false };
  const label = setWithin(look.label, small, room);
  const sentence = setType(cleanText(detail), small);
  const fits = sentence.width <= room && !sentence.line.drawn.endsWith("…");
  const shown = fits ? sentence : setType(cleanText(badge), small);
  const words = (label === undefined ? "" : drawType(label, { x: MARGIN, y: 26, at: "left" })) +
    drawType(shown, { x: width / 2, y: height / 2 + 4, at: "middle" });
  return frame(size, {
    title: `${look.label === "" ? "" : `${look.label}: `}${cleanText(badge)}`,
    description: detail,
    paint,
    words: `<g font-size="12">${words}</g>`,
  });
}
