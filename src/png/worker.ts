/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import {
  createPainter,
  type Painter,
  type PainterParts,
  type PaintJob,
  type PaintResult,
} from "./painter.ts";

let painter: Promise<Painter> | undefined;

// The parts come first, then jobs, each after the answer to the one before it.
addEventListener("message", async ({ data }: MessageEvent<PainterParts | PaintJob>) => {
  if ("wasm" in data) {
    painter = createPainter(data);
    return;
  }
  try {
    const paint = await painter;
    if (paint === undefined) throw new TypeError("No parts before the first job");
    post({ png: await paint(data) });
  } catch (error) {
    post({ error });
  }
});

function post(result: PaintResult): void {
  postMessage(result);
}
