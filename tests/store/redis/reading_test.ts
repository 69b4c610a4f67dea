import { strictEqual } from "node:assert/strict";
import { SeenTexts } from "../../../src/store/redis/reading.ts";

Deno.test("SeenTexts: of 300,000 texts each is new once", () => {
  const seen = new SeenTexts();
  const texts = Array.from({ length: 300_000 }, (_, index) => `page/${index}`);
  strictEqual(texts.filter((text) => seen.add(text)).length, texts.length);
  strictEqual(texts.filter((text) => seen.add(text)).length, 0);
  for (const text of ["", "日本", "page/", "page/300000"]) {
    strictEqual(seen.add(text), true, text);
    strictEqual(seen.add(text), false, text);
  }
});
