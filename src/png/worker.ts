/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { createPainter, type PainterParts, type PaintJob } from "./painter.ts";

// The parts come first, then jobs, each after the PNG of the one before it. An error is not caught,
// so that it reaches the thread that started this worker.
addEventListener("message", ({ data }: MessageEvent<PainterParts>) => {
  const painter = createPainter(data);
  addEventListener("message", async ({ data }: MessageEvent<PaintJob>) => {
    postMessage(await (await painter)(data));
  });
}, { once: true });
