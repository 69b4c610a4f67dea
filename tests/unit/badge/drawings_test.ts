import { match, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { createDrawings } from "../../../src/badge/drawings.ts";
import { textHash } from "../../../src/drawing/text.ts";
import { times } from "../../support/times.ts";
import { codePoint } from "../../support/code_point.ts";
import { assertKept } from "../../support/picture.ts";
import { drawSheet, SHEET } from "./sheet.ts";

Deno.test("createDrawings() gives a tag that can stand in an entity tag among others, whatever the look", () => {
  const draw = createDrawings(({ tag }) => tag);
  const value = fc.string({ unit: "grapheme" });
  const query = fc.record({
    label: value,
    style: value,
    numbers: fc.constantFrom("plain", "compact"),
  });
  fc.assert(fc.property(query, fc.maxSafeNat(), (look, hits) => {
    const tag = draw(new Map<string, string>(Object.entries(look)), hits);
    match(tag, /^[\x21\x23-\x2b\x2d-\x7e]+$/);
  }));
});

Deno.test("createDrawings() draws the same badge once only", () => {
  const draw = createDrawings((badge) => badge);
  const query = new Map<string, string>([["label", "hits"]]);
  strictEqual(draw(query, 7), draw(query, 7));
});

Deno.test("textHash() tells texts apart", () => {
  const text = fc.string({ unit: codePoint });
  fc.assert(
    fc.property(text, text, (one, other) => {
      strictEqual(textHash(one) === textHash(other), one === other);
    }),
    { numRuns: times(500, 5000) },
  );
});

Deno.test("drawBadge() draws the checked-in sheet, pixel for pixel", async () => {
  await assertKept(SHEET, drawSheet());
});
