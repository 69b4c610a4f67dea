/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { createRasterizer, type RasterizerParts, type RasterJob } from "./rasterizer.ts";

// The parts come first, then jobs, each after the PNG of the one before it. An error is not caught,
// so that it reaches the thread that started this worker.
addEventListener("message", ({ data }: MessageEvent<RasterizerParts>) => {
  const loading = createRasterizer(data);
  addEventListener("message", async ({ data }: MessageEvent<RasterJob>) => {
    postMessage(await (await loading)(data));
  });
}, { once: true });
