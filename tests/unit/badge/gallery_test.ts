import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { GALLERY, GALLERY_FOLDER } from "./gallery.ts";

Deno.test("GALLERY is what the README shows, drawn by the code as it is now", async () => {
  const files = await Array.fromAsync(Deno.readDir(GALLERY_FOLDER), ({ name }) => name);
  deepStrictEqual(files.sort(), [...GALLERY.keys()].sort());
  for (const [file, svg] of GALLERY) {
    strictEqual(await Deno.readTextFile(new URL(file, GALLERY_FOLDER)), svg, file);
  }
});
