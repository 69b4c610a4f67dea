import { initWasm, Resvg, type ResvgRenderOptions } from "@resvg/resvg-wasm";
import { encodePng } from "./encode.ts";

/** The rasterizer and its fonts. */
export interface RasterizerParts {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly fonts: readonly Uint8Array<ArrayBuffer>[];
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
  const font = {
    fontBuffers: [...fonts],
    ...{ defaultFontFamily: "DejaVu Sans", sansSerifFamily: "DejaVu Sans" },
    ...{ serifFamily: "DejaVu Sans", monospaceFamily: "DejaVu Sans Mono" },
  };
  return async ({ svg, scale }) => {
    const open = (fitTo: NonNullable<ResvgRenderOptions["fitTo"]>) =>
      new Resvg(svg, { font, fitTo });
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
