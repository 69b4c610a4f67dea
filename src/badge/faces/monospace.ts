import { makeFace } from "./face.ts";

/**
 * A monospace face at 12 px: 0.6 em a character, as in DejaVu Sans Mono, Liberation Mono, Menlo and
 * SF Mono to within 0.3 %. Other scripts come from fallback fonts; an emoji takes two cells.
 */
export const monospace12 = makeFace({
  em: 12,
  emoji: 14.4,
  runs: [
    [0x20, cells(0x7f - 0x20)],
    [0xa0, cells(0x180 - 0xa0)],
    [0x386, cells(0x460 - 0x386)],
    [0x2010, cells(0x203b - 0x2010)],
  ],
});

function cells(count: number): string {
  return Array<string>(count).fill("720").join(" ");
}
