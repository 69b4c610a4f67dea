import {
  deepStrictEqual,
  notDeepStrictEqual,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import { drawBadge, parseLook } from "../../../src/badge/drawings.ts";
import { STYLES } from "../../../src/badge/styles.ts";
import { badgeBars } from "../../../src/badge/bars.ts";
import * as pictures from "../../../src/chart/pictures.ts";
import { isDrawable } from "../../../src/drawing/text.ts";
import { createRasterizer } from "../../../src/png/rasterizer.ts";
import { parts } from "../../../src/png/tallymark-png.js";
import { FIGURES } from "../../unit/chart/gallery.ts";
import { Buffer } from "node:buffer";
import { PNG } from "pngjs";
import { encodePng } from "../../../src/png/encode.ts";

const rasterize = await createRasterizer(parts);
const figures = { ...FIGURES, id: "ada/engine" };

function badge(query: Record<string, string>, message = "12,345"): string {
  const look = parseLook(new Map(Object.entries(query)));
  return drawBadge(
    look,
    message,
    look.style.ignores.includes("spark") ? {} : { bars: badgeBars(FIGURES.days, 14) },
  );
}

/** Reads the size of a PNG from its header. */
function sizeOf(png: Uint8Array<ArrayBuffer>): number[] {
  const view = new DataView(png.buffer);
  return [view.getUint32(16), view.getUint32(20)];
}

Deno.test("rasterize: a badge has at most 3 kB at scale 1 and 6 kB at scale 2, in every style", async () => {
  for (const style of STYLES.keys()) {
    const svg = badge({ style, logo: "eye" });
    for (const [scale, bytes] of [[1, 3000], [2, 6000]] as const) {
      const { length } = await rasterize({ svg, scale });
      ok(length <= bytes, `${style} at scale ${scale}: ${length} bytes`);
    }
  }
});

Deno.test("rasterize: the largest images have at most 2,880 by 1,200 pixels, 2.4 million in all, and 200 kB", async () => {
  const query = new Map([["width", "960"], ["height", "400"], ["range", "90d"], ["theme", "dark"]]);
  const largest = [
    ...["bars", "area", "total"].map((kind) =>
      pictures.chart.draw(figures, new Map([...query, ["kind", kind]]))
    ),
    pictures.calendar.draw(figures, query),
    pictures.card.draw(figures, query),
    badge({ style: "for-the-badge", label: "W".repeat(100), spark: "30" }),
    badge({ style: "odometer", digits: "16" }),
  ];
  const sizes: number[][] = [];
  for (const svg of largest) {
    const png = await rasterize({ svg, scale: 3 });
    const [width = 0, height = 0] = sizeOf(png);
    sizes.push([width, height]);
    ok(width <= 2880 && height <= 1200 && width * height <= 2_400_000, `${width} by ${height}`);
    ok(png.length <= 200_000, `${png.length} bytes`);
  }
  // The fourth decimal of a width may lead to one pixel too many.
  for (const width of [1063.6, 1191, 1197.3]) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20"></svg>`;
    deepStrictEqual(sizeOf(await rasterize({ svg, scale: 3 }))[0], 2880);
  }
  deepStrictEqual(sizes[1], [2400, 1000]);
});

Deno.test("rasterize: a preview has 1200 by 630 pixels", async () => {
  const svg = pictures.preview.draw(figures, new Map<string, string>());
  deepStrictEqual(sizeOf(await rasterize({ svg, scale: 3 })), [1200, 630]);
});

Deno.test("the fonts have the scripts that are drawn in PNGs", async () => {
  const draw = (text: string) =>
    rasterize({
      svg: `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="20">` +
        `<text y="14" font-family="Verdana,DejaVu Sans">${text}</text></svg>`,
      scale: 1,
    });
  const missing = await draw("\u65e5\u672c");
  for (
    const text of [
      "\u0436\u044f",
      "\u03b1\u03b2",
      "\u0645\u0634",
      "\u05d0\u05d1",
      "\u0561\u0562",
      "\u10d0\u10d1",
    ]
  ) {
    ok(isDrawable(text));
    notDeepStrictEqual(await draw(text), missing, text);
  }
});

Deno.test("a badge leaves out a label whose letters no font has", () => {
  const draw = (label: string) => drawBadge(parseLook(new Map([["label", label]]), "png"), "1");
  strictEqual(draw("\u8bbf\u95ee"), draw(""));
  notStrictEqual(draw("\u0432\u0438\u0434"), draw(""));
});

Deno.test("cards and previews have the label in place of a name that no font has", () => {
  for (const { draw } of [pictures.card, pictures.preview]) {
    const card = (id: string, label: string, format: "png" | "svg" = "png") =>
      draw({ ...FIGURES, id }, new Map([["theme", "light"], ["label", label]]), [], format)
        .replace(/<title>.*?<\/title>/, "");
    strictEqual(card("\u4e2d\u6587/\u535a\u5ba2", "views"), card("views", ""));
    // Neither of them can be drawn, and no part of them is.
    strictEqual(card("a/\u4e2d", "\u6b21"), card("", ""));
    notStrictEqual(card("\u041f\u0440\u0438", "views"), card("views", ""));
  }
});

Deno.test("numbers and dates are English in a language whose letters no font has", () => {
  for (const locale of ["ja", "ko", "zh", "hi", "th"]) {
    const draw = (locale: string) =>
      pictures.chart.draw(figures, new Map([["locale", locale], ["range", "all"]]), [], "png");
    strictEqual(draw(locale), draw("en"));
    strictEqual(
      parseLook(new Map([["numbers", "compact"], ["locale", locale]]), "png").locale,
      "en",
    );
  }
});

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
