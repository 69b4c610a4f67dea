import { assertKept } from "../../support/picture.ts";
import { drawSheet, SHEET } from "./sheet.ts";

Deno.test("drawChart() draws the checked-in sheet, pixel for pixel", async () => {
  await assertKept(SHEET, drawSheet());
});
