// The rasterizer and its fonts. A bundle of the service loads them from a second file of this name.
import glue from "@resvg/resvg-wasm" with { type: "text" };
import wasm from "@resvg/resvg-wasm/index_bg.wasm" with { type: "bytes" };
import sans from "dejavu-fonts-ttf/ttf/DejaVuSans.ttf" with { type: "bytes" };
import sansBold from "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf" with { type: "bytes" };
import mono from "dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf" with { type: "bytes" };
import monoBold from "dejavu-fonts-ttf/ttf/DejaVuSansMono-Bold.ttf" with { type: "bytes" };
import script from "./worker.min.js" with { type: "text" };

export { createRasterizer } from "./rasterizer.ts";
/** @type {import("./rasterizer.ts").RasterizerParts} */
export const parts = { wasm, fonts: [sans, sansBold, mono, monoBold] };
/** Scripts of a worker as text, because a worker from a file needs permission to read that file. */
export { glue, script };
