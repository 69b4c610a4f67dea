import { deepStrictEqual } from "node:assert/strict";
import type { RunOptions } from "axe-core";
import axe from "axe-core/axe.min.js" with { type: "text" };
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { needsChromium, shareChromium, sharedChromium } from "./chromium.ts";
import { type ServiceAddress, startLocalService } from "./local_service.ts";
import { FAR_AWAY_MS } from "./time_limit.ts";
import { TIME_ZONE } from "./time_zones.ts";

/** A page in a browser, and what it complained of: errors, and breaches of its policy. */
export interface WebPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Opens a page in a fresh profile that may write to the clipboard. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WebPage> {
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await browser.newContext({ permissions, userAgent: READER, ...options });
  context.setDefaultTimeout(FAR_AWAY_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // Network errors are not errors of the page. Tests assert what the page shows for them.
    if (message.type() !== "error" || message.text().startsWith("Failed to load")) return;
    complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** The context of a test of the service's page. */
export interface PageTest {
  readonly page: Page;
  readonly service: ServiceAddress;
  readonly browser: Browser;
}

/** Under which circumstances a page is tested. */
export interface PageTestOptions extends BrowserContextOptions {
  readonly env: Record<string, string>;
  /** Runs before the page is opened. */
  readonly prepare?: (service: ServiceAddress) => Promise<void>;
  /** The address of the page at the service; `/` by default. */
  readonly path?: string;
}

/** Tests the page of a service of its own; it may complain of nothing, nor breach its policy. */
export function testPage(
  name: string,
  { env, prepare, path = "/", ...options }: PageTestOptions,
  test: (at: PageTest) => Promise<void>,
): void {
  shareChromium();
  Deno.test(name, needsChromium, async () => {
    await using service = await startLocalService({ TIME_ZONE, ...env });
    await prepare?.(service);
    const browser = sharedChromium();
    await using opened = await openPage(browser, `${service.url}${path}`, options);
    await test({ page: opened.page, service, browser });
    deepStrictEqual(opened.complaints, []);
  });
}

/** Throws if axe finds a barrier in the page as it is now, or if it is wider than the window. */
export async function assertAccessible(page: Page): Promise<void> {
  deepStrictEqual(await findBarriers(page, {}), []);
  await assertFits(page);
}

/** Throws if the page is wider than the window. */
export async function assertFits(page: Page): Promise<void> {
  deepStrictEqual(
    await page.evaluate("document.documentElement.scrollWidth"),
    page.viewportSize()?.width,
  );
}

/** Throws if axe finds a barrier in light or dark mode, or if the page is wider than the window. */
export async function assertAccessibleInBothModes(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await assertAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  // Dark mode changes only colors, so the rules about structure need not run again.
  deepStrictEqual(
    await findBarriers(page, { runOnly: ["color-contrast", "link-in-text-block"] }),
    [],
  );
}

async function findBarriers(page: Page, options: RunOptions): Promise<string[]> {
  if (!await page.evaluate("'axe' in window")) await page.evaluate(axe);
  // Loads nothing for rules that are off, and for those of media, which no page has.
  const all = JSON.stringify({ resultTypes: ["violations"], preload: false, ...options });
  const found: Violation[] = await page.evaluate(`axe.run(${all}).then((all) => all.violations)`);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** A browser without a window says so, and would not be counted with a key. */
const READER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
  "Chrome/140.0.0.0 Safari/537.36";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
