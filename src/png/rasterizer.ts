import { initWasm, Resvg, type ResvgRenderOptions } from "@resvg/resvg-wasm";
import { encodePng } from "./encode.ts";

/** The rasterizer and its fonts. The first font has the most characters. */
export interface RasterizerParts {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly fonts: readonly [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]];
}

/** An SVG document of this service, and the number of pixels of the PNG for each of its pixels. */
export interface RasterJob {
  readonly svg: string;
  readonly scale: number;
}

/** Rasterizes an SVG document as a PNG. */
export type Rasterize = (job: RasterJob) => Promise<Uint8Array<ArrayBuffer>>;

/** Maximum size of a PNG, in pixels. A larger one would take the service above 220 MB of memory. */
const MAX_WIDTH = 2880;
const MAX_HEIGHT = 1200;
const MAX_PIXELS = 2_400_000;

/** Loads the rasterizer. May be called once in a process or worker. */
export async function createRasterizer({ wasm, fonts }: RasterizerParts): Promise<Rasterize> {
  await initWasm(wasm);
  const hasGlyph = createGlyphCheck(fonts[0]);
  const font = {
    fontBuffers: [...fonts],
    ...{ defaultFontFamily: "DejaVu Sans", sansSerifFamily: "DejaVu Sans" },
    ...{ serifFamily: "DejaVu Sans", monospaceFamily: "DejaVu Sans Mono" },
  };
  return async ({ svg, scale }) => {
    const shown = replaceMissing(svg, hasGlyph);
    const open = (fitTo: NonNullable<ResvgRenderOptions["fitTo"]>) =>
      new Resvg(shown, { font, fitTo });
    let drawing = open({ mode: "zoom", value: scale });
    const { width, height } = drawing;
    const fitting = Math.min(MAX_WIDTH / width, MAX_HEIGHT / height);
    const largest = Math.min(fitting, Math.sqrt(MAX_PIXELS / (width * height)));
    if (largest < scale) {
      drawing.free();
      drawing = open({ mode: "width", value: Math.round(width * largest) });
    }
    const image = drawing.render();
    // The pixels are a copy, so the memory in WASM is free before they are encoded.
    const { width: columns, height: rows, pixels } = image;
    image.free();
    drawing.free();
    const png = await encodePng({ width: columns, height: rows, pixels });
    // Frees up to 14 MB now, not at a later garbage collection.
    if (pixels.buffer instanceof ArrayBuffer) pixels.buffer.transfer(0);
    return png;
  };
}

/** An emoji of one or more code points, or a character beyond ASCII. */
const CHARACTER = /\p{RGI_Emoji}|[^\0-\x7f]/gv;
/** Characters that are drawn together with the one before them. */
const ATTACHED = /^[\p{M}\p{Cf}]/u;

/** Replaces the characters that no font has with question marks. */
function replaceMissing(svg: string, hasGlyph: (codePoint: number) => boolean): string {
  return svg.replace(CHARACTER, (text) => {
    const codePoint = text.codePointAt(0) ?? 0;
    if (hasGlyph(codePoint)) return String.fromCodePoint(codePoint);
    return ATTACHED.test(text) ? "" : "?";
  });
}

/** Returns a function that reports whether a font has a character (OpenType, `cmap` format 12). */
export function createGlyphCheck(
  font: Uint8Array<ArrayBuffer>,
): (codePoint: number) => boolean {
  const view = new DataView(font.buffer, font.byteOffset);
  const items = (at: number, count: number, size: number) =>
    Array.from({ length: count }, (_, index) => at + size * index);
  const cmap = items(12, view.getUint16(4), 16).find((at) => view.getUint32(at) === 0x636d6170);
  const table = view.getUint32((cmap ?? 0) + 8);
  const groups = items(table + 4, view.getUint16(table + 2), 8)
    .map((at) => table + view.getUint32(at + 4))
    .filter((at) => view.getUint16(at) === 12)
    .flatMap((at) => items(at + 16, view.getUint32(at + 12), 12))
    .map((at) => [view.getUint32(at), view.getUint32(at + 4)] as const);
  return (codePoint) => groups.some(([first, last]) => first <= codePoint && codePoint <= last);
}
