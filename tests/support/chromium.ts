import { type Browser, chromium } from "playwright-core";
import { findChromium, findHeadlessChromium, strictRun } from "./programs.ts";
import { TEMP_PREFIX } from "./temp_dir.ts";
import { waitFor } from "./wait_for.ts";

/** True if Chromium or Chrome is installed, or `setup.ts` fetched it. */
export const chromiumAvailable: boolean = findChromium() !== undefined;

/** Spread into the options of a test: ignores it without Chromium, except under CI=true. */
export const needsChromium: { ignore: boolean } = { ignore: !chromiumAvailable && !strictRun };

/** Without what needs a desktop, and without traffic of its own. */
const QUIET = [
  ...["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** One process for all pages of a site, which saves half of the time of a short test. */
const FEW_PROCESSES = ["--process-per-site", "--renderer-process-limit=1"];

/** Changes to the command line of Chromium. */
export interface ChromiumOptions {
  /** Flags of its own. */
  args?: readonly string[];
  /** Flags of Playwright's to leave out. */
  ignoreDefaultArgs?: string[];
  /**
   * True to start the whole Chromium. Only this one keeps pages in its back-forward cache, and it
   * takes three times as long to start.
   */
  isWhole?: boolean;
}

/** Starts Chromium without a window and without traffic of its own; closed when disposed of. */
export async function openChromium(
  { args = [], ignoreDefaultArgs = [], isWhole = false }: ChromiumOptions = {},
): Promise<{ browser: Browser } & AsyncDisposable> {
  const browser = await chromium.launch({
    executablePath: (isWhole ? undefined : findHeadlessChromium()) ?? chromiumPath(),
    args: [...QUIET, ...isWhole ? [] : FEW_PROCESSES, ...args],
    ignoreDefaultArgs,
  });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

/** By their options. */
const shared = new Map<string, Awaited<ReturnType<typeof openChromium>> | undefined>();

/**
 * From here on tests share one Chromium with these options, which is what takes most of the time of
 * a short test.
 */
export function shareChromium(options: ChromiumOptions = {}): void {
  const key = JSON.stringify(options);
  if (shared.has(key) || !chromiumAvailable) return;
  shared.set(key, undefined);
  Deno.test.beforeAll(async () => {
    shared.set(key, await openChromium(options));
  });
  Deno.test.afterAll(async () => {
    await shared.get(key)?.[Symbol.asyncDispose]();
  });
}

/** The Chromium with these options that tests share; each opens a profile of its own in it. */
export function sharedChromium(options: ChromiumOptions = {}): Browser {
  const chromium = shared.get(JSON.stringify(options));
  if (chromium === undefined) throw new Error("Call shareChromium() where tests are registered");
  return chromium.browser;
}

/**
 * Opens a page in a Chromium without remote control, because a controlled one hides no tab and
 * prerenders no page.
 */
export async function browse(url: string, args: readonly string[]): Promise<AsyncDisposable> {
  const profile = await Deno.makeTempDir({ prefix: TEMP_PREFIX });
  const process = new Deno.Command(chromiumPath(), {
    args: ["--headless", ...QUIET, `--user-data-dir=${profile}`, ...args, url],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
      // Its helpers end after it and write until then.
      await waitFor("the end of what they write", () => removed(profile));
    },
  };
}

async function removed(folder: string): Promise<true | undefined> {
  try {
    await Deno.remove(folder, { recursive: true });
    return true;
  } catch {
    return undefined;
  }
}

function chromiumPath(): string {
  const path = findChromium();
  if (path !== undefined) return path;
  throw new Error("Cannot start Chromium: not found. Run `deno task test` or install it.");
}
