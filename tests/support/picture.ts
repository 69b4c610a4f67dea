import { ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

// A picture must come out the same on a machine without fonts, so no font of the machine is used
// but small cuts of DejaVu Sans and DejaVu Sans Mono (see badge/fonts/LICENSE). Where they lack a
// script (Japanese, emoji) boxes and positions are still compared.
const FONTS = fileURLToPath(new URL("../unit/badge/fonts/", import.meta.url));

// Room for a rounding that differs between processors; a moved letter or a changed color is more.
const MAX_PIXELS_OFF = 50;

/** An SVG as pixels, on a ground of this color. */
export function drawPixels(svg: string, background = "#fff"): PNG {
  const font = { loadSystemFonts: false, fontDirs: [FONTS] };
  const { pixels, width, height } = new Resvg(svg, { font, background }).render();
  const picture = new PNG({ width, height });
  picture.data.set(pixels);
  return picture;
}

/** A picture as the bytes of a file. */
export function pngBytes(picture: PNG): Uint8Array {
  return PNG.sync.write(picture);
}

/** Throws where a drawn picture is not the one that is kept in a file. */
export async function assertKept(file: URL, { data, width, height }: PNG): Promise<void> {
  const kept = PNG.sync.read(Buffer.from(await Deno.readFile(file)));
  strictEqual(`${width}x${height}`, `${kept.width}x${kept.height}`);
  const off = pixelmatch(data, kept.data, undefined, width, height, { threshold: 0.05 });
  ok(off <= MAX_PIXELS_OFF, `${off} pixels differ: draw the sheet afresh and look at it`);
}
