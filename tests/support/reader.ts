import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { deepStrictEqual } from "node:assert/strict";
import { shareChromium, sharedChromium } from "./chromium.ts";
import { READER_ARGS } from "./embedding.ts";
import { waitFor } from "./wait_for.ts";

/** A visitor in a browser. */
export interface Reader extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console messages and uncaught errors of the page. */
  readonly complaints: readonly string[];
}

/** From here on the readers of a file share one Chromium, each with a profile of its own. */
export function shareReaders(): void {
  shareChromium({ args: READER_ARGS });
}

/** Opens a reader's browser: a profile of the one that the file shares, unless another is given. */
export async function openReader(
  options: BrowserContextOptions = {},
  browser = sharedChromium(),
): Promise<Reader> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => complaints.push(message.text()));
  return { context, page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits until the elements of a page show these texts. */
export async function shows(page: Page, texts: readonly string[]): Promise<void> {
  let shown: string[] = [];
  await waitFor("the texts", async () => {
    shown = await page.locator("tally-mark").allTextContents();
    return JSON.stringify(shown) === JSON.stringify(texts) || undefined;
  }).catch(() => deepStrictEqual(shown, texts));
}
