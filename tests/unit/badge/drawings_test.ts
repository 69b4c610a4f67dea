import { notStrictEqual, strictEqual } from "node:assert/strict";
import { createDrawings } from "../../../src/badge/drawings.ts";
import { assertKept } from "../../support/picture.ts";
import { drawSheet, SHEET } from "./sheet.ts";

Deno.test("createDrawings() draws the same badge once only", () => {
  const draw = createDrawings((svg) => ({ svg }));
  const query = new Map<string, string>([["label", "hits"]]);
  strictEqual(draw(query, 7), draw(query, 7));
  notStrictEqual(draw(query, 7), draw(query, 8));
});

Deno.test("drawBadge() draws the checked-in sheet, pixel for pixel", async () => {
  await assertKept(SHEET, drawSheet());
});
