import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { GALLERY, GALLERY_FOLDER } from "./gallery.ts";

Deno.test("GALLERY of charts is what the README shows, drawn by the code as it is now", async () => {
  const files = await Array.fromAsync(Deno.readDir(GALLERY_FOLDER), ({ name }) => name);
  deepStrictEqual(files.sort(), [...GALLERY.keys()].sort());
  for (const [file, svg] of GALLERY) {
    strictEqual(await Deno.readTextFile(new URL(file, GALLERY_FOLDER)), svg, file);
  }
});

Deno.test("drawChart() keeps a chart within 3 kB", () => {
  for (const [file, svg] of GALLERY) {
    const most = file === "calendar.svg" ? 6000 : file.startsWith("several") ? 4000 : 3000;
    ok(new TextEncoder().encode(svg).length <= most, `${file}: ${svg.length}`);
  }
});
