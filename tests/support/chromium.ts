import { type Browser, chromium } from "playwright-core";
import { findChromium, strictRun } from "./programs.ts";

/** True when the machine has Chromium or Chrome; it is not fetched, as it needs system libraries. */
export const chromiumAvailable: boolean = findChromium() !== undefined;

/** Spread into the options of a test: ignores it without Chromium, except under CI=true. */
export const needsChromium: { ignore: boolean } = { ignore: !chromiumAvailable && !strictRun };

/** Starts Chromium without a window and without traffic of its own; closed when disposed of. */
export async function openChromium(): Promise<{ browser: Browser } & AsyncDisposable> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error("Start Chromium: not found, install it (apt-get install chromium)");
  }
  const args = [
    ...["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
    ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ];
  const browser = await chromium.launch({ executablePath, args });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}
