import { deepStrictEqual, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { drawSheet, SHEET } from "./sheet.ts";

// Room for a rounding that differs between processors; a moved letter or a changed color is more.
const MOST_PIXELS_OFF = 50;

Deno.test("renderBadge() draws the checked-in sheet, pixel for pixel", async () => {
  const known = PNG.sync.read(Buffer.from(await Deno.readFile(SHEET)));
  const { data, width, height } = drawSheet();
  deepStrictEqual([width, height], [known.width, known.height]);
  const off = pixelmatch(data, known.data, undefined, width, height, { threshold: 0.05 });
  ok(off <= MOST_PIXELS_OFF, `${off} pixels differ: draw the sheet afresh and look at it`);
});
