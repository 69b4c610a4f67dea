import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { deepStrictEqual } from "node:assert/strict";
import { openChromium } from "./chromium.ts";
import type { Embedding } from "./embedding.ts";
import { waitFor } from "./wait_for.ts";

/** Somebody who reads pages. */
export interface Reader extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page wrote to the console, or did not catch. */
  readonly complaints: readonly string[];
}

/** Opens a reader's browser. */
export async function openReader(
  site: Pick<Embedding, "args">,
  options: BrowserContextOptions = {},
): Promise<Reader> {
  const { browser, ...chromium } = await openChromium({
    args: site.args,
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => complaints.push(message.text()));
  return { context, page, complaints, ...chromium };
}

/** Waits until the elements of a page show these texts. */
export async function shows(page: Page, texts: readonly string[]): Promise<void> {
  let shown: string[] = [];
  await waitFor("the texts", async () => {
    shown = await page.locator("tally-mark").allTextContents();
    return JSON.stringify(shown) === JSON.stringify(texts) || undefined;
  }).catch(() => deepStrictEqual(shown, texts));
}
