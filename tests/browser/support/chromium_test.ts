import { strictEqual } from "node:assert/strict";
import { needsChromium, openChromium } from "../../support/chromium.ts";

Deno.test("openChromium: opens a page and leaves nothing behind", needsChromium, async () => {
  await using chromium = await openChromium();
  const page = await chromium.browser.newPage();
  await page.setContent("<title>Tallymark</title>");
  strictEqual(await page.title(), "Tallymark");
});
