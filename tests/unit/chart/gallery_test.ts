import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { drawAddress, GALLERY, GALLERY_FOLDER, LEFT_ALONE } from "./gallery.ts";
import { parseSvg } from "../../support/parse_svg.ts";
import { assertKept } from "../../support/picture.ts";
import { drawSheet, SHEET } from "./sheet.ts";

Deno.test("GALLERY is what the documentation shows, drawn by the code as it is now", async () => {
  const files = ["badges", "charts"].flatMap((folder) =>
    [...Deno.readDirSync(new URL(folder, GALLERY_FOLDER))].map(({ name }) => `${folder}/${name}`)
  );
  deepStrictEqual(files.sort(), [...GALLERY.keys()].sort());
  for (const [file, svg] of GALLERY) {
    strictEqual(await Deno.readTextFile(new URL(file, GALLERY_FOLDER)), svg, file);
  }
});

Deno.test("drawChart() keeps a chart within 3 kB", () => {
  for (const [file, svg] of GALLERY) {
    const most = /calendar/.test(file) ? 6000 : /several/.test(file) ? 5000 : 3000;
    ok(new TextEncoder().encode(svg).length <= most, `${file}: ${svg.length}`);
  }
});

const PAGES = [
  "README.md",
  ".docs/README.zh.md",
  ".docs/appearance.md",
  ".docs/external_totals.md",
];
const ROOT = new URL("../../../", import.meta.url);

Deno.test("each picture of the documentation is what the line below it draws, and its words have its number", async () => {
  let drawn = 0;
  for (const page of PAGES) {
    const base = new URL(page, ROOT);
    const text = await Deno.readTextFile(base);
    for (const { 0: image, 1: words = "", 2: path = "", index } of text.matchAll(IMAGE)) {
      const svg = await Deno.readTextFile(new URL(path, base));
      const title = parseSvg(svg.slice(svg.indexOf("<svg"))).find(({ name }) => name === "title");
      if (/: [\d,]+$/.test(words)) {
        ok(title?.text.startsWith(words), `${page}: ${words} of ${path}`);
      }
      const below = text.slice(index + image.length);
      // The line is before the next picture and the next heading.
      const [near = ""] = below.split(/!\[[^\]]*\]\((?!http)|\n#/);
      const [, address] =
        /```\w+\n[^\n]*?(\/[\w.]+\?[^\s)]+|\?[^\s)]+|\/\w+\.svg)\)?\n/.exec(near) ?? [];
      if (address === undefined) continue;
      drawn++;
      strictEqual(svg, `${LEFT_ALONE}${drawAddress(address)}\n`, `${page}: ${address}`);
    }
  }
  ok(drawn >= 25, `${drawn}`);
});

const IMAGE = /!\[([^\]]*)\]\((?!http)([^)]*images\/[^)]+\.svg)\)/g;

Deno.test("drawChart() draws the checked-in sheet, pixel for pixel", async () => {
  await assertKept(SHEET, drawSheet());
});
