import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { PNG } from "pngjs";
import { encodePng } from "../../../src/png/encode.ts";

/** Encodes pixels, then decodes them with another library. */
async function decoded(pixels: number[][], width: number): Promise<number[]> {
  const height = pixels.length / width;
  const png = await encodePng({ width, height, pixels: Uint8Array.from(pixels.flat()) });
  const { data, ...size } = PNG.sync.read(Buffer.from(png));
  deepStrictEqual([size.width, size.height], [width, height]);
  return [...data];
}

Deno.test("encodePng() keeps 256 colors exactly", async () => {
  const pixels = Array.from({ length: 512 }, (_, at) => [at & 0xff, 255 - (at & 0xff), 7, 255]);
  deepStrictEqual(await decoded(pixels, 32), pixels.flat());
});

Deno.test("encodePng() divides colors by their alpha", async () => {
  const pixels = [[0, 0, 0, 0], [64, 0, 128, 128], [255, 255, 255, 255], [1, 1, 1, 1]];
  deepStrictEqual(await decoded(pixels, 2), [
    ...[0, 0, 0, 0],
    ...[128, 0, 255, 128],
    ...[255, 255, 255, 255],
    ...[255, 255, 255, 1],
  ]);
});

Deno.test("encodePng() keeps the whole color space to within 64 of 255 in a channel, and the most frequent one exactly", async () => {
  const frequent = [17, 34, 51, 255];
  const many = Array.from({ length: 4096 }, (_, at) => [
    ...[(at & 15) * 16, ((at >> 4) & 15) * 16, ((at >> 8) & 15) * 16, 255],
  ]);
  const pixels = [...many, ...Array<number[]>(4096).fill(frequent)];
  const result = await decoded(pixels, 128);
  deepStrictEqual(result.slice(-4), frequent);
  const differences = pixels.flat().map((value, at) => Math.abs(value - (result[at] ?? 0)));
  ok(Math.max(...differences) < 64, `${Math.max(...differences)}`);
});

Deno.test("encodePng() encodes a single pixel", async () => {
  const png = await encodePng({ width: 1, height: 1, pixels: Uint8Array.from([0, 0, 0, 0]) });
  strictEqual(PNG.sync.read(Buffer.from(png)).data[3], 0);
});
