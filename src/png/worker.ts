/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { createRasterizer, type RasterizerParts, type RasterJob } from "./rasterizer.ts";

// The parts come first, then jobs, each after the PNG of the one before it. An error is not caught,
// so that it reaches the thread that started this worker.
addEventListener("message", ({ data }: MessageEvent<RasterizerParts>) => {
  const loading = createRasterizer(data);
  addEventListener("message", async ({ data }: MessageEvent<RasterJob | "close">) => {
    // A worker with WebAssembly that is terminated from outside may keep its process alive.
    if (data === "close") return close();
    postMessage(await (await loading)(data));
  });
}, { once: true });
