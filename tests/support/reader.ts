import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type ChromiumOptions, needsChromium, shareChromium, sharedChromium } from "./chromium.ts";
import { type Embedding, openEmbedding, READER_ARGS, WINDOW_ARGS } from "./embedding.ts";
import { waitFor } from "./wait_for.ts";

/** A visitor in a browser. */
export interface Reader extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console messages and uncaught errors of the page. */
  readonly complaints: readonly string[];
}

/** The Chromium of readers. */
const READING: ChromiumOptions = { args: READER_ARGS };

/** Opens a reader's browser: a profile of a shared one. */
export async function openReader(
  options: BrowserContextOptions = {},
  browser = sharedChromium(READING),
): Promise<Reader> {
  return await openIn(await browser.newContext(options));
}

async function openIn(context: BrowserContext): Promise<Reader> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => complaints.push(message.text()));
  return { context, page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** The profile of visits without settings of their own, and the page that keeps its process. */
let profile: { readonly context: BrowserContext; readonly keeper: Page } | undefined;

/** Opens a page in the profile of such visits, which forgets what it did when it is closed. */
async function openSharedReader(): Promise<Reader> {
  profile ??= await openProfile();
  const { context, keeper } = profile;
  const session = await context.newCDPSession(keeper);
  const reader = await openIn(context);
  return {
    ...reader,
    async [Symbol.asyncDispose]() {
      const pages = context.pages().filter((page) => page !== keeper);
      await Promise.all(pages.map((page) => page.close()));
      await context.setOffline(false);
      await keeper.evaluate("localStorage.clear()");
      await session.send("Network.clearBrowserCache");
      await session.detach();
    },
  };
}

async function openProfile() {
  const context = await sharedChromium(READING).newContext();
  const keeper = await context.newPage();
  await keeper.route("**", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  // Playwright's timer of an idle network would outlast the test.
  await keeper.goto("http://blog.example/", { waitUntil: "networkidle" });
  return { context, keeper };
}

/** A Chromium that keeps pages in its back-forward cache. */
export const RESTORING: ChromiumOptions = {
  args: WINDOW_ARGS,
  ignoreDefaultArgs: ["--disable-back-forward-cache"],
  isWhole: true,
};

/** Headers of a page that allows the service's scripts and requests, and nothing else. */
export const STRICT_POLICY: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src http://tally.example; connect-src http://tally.example; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-embedder-policy": "require-corp",
};

/** A reader who visits a blog that shows counters. */
export interface Visit {
  readonly site: Embedding;
  readonly reader: Reader;
  readonly page: Page;
  /** The paths and queries that the service was asked for. */
  readonly requests: readonly string[];
  /** Opens a page with this content, and these headers. */
  open(html: string, path?: string, headers?: Record<string, string>): Promise<void>;
  /** Waits until the number of a counter is this. */
  counts(id: string, hits: number): Promise<void>;
}

/** Under which circumstances a blog is visited. */
export interface VisitOptions extends BrowserContextOptions {
  readonly openReads?: boolean;
  readonly serveAs?: string;
  readonly hitOrigins?: string;
  /** The numbers of counters before the visit. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** True if the clock of the page only advances by `runFor`. */
  readonly isClockStopped?: boolean;
  /** The Chromium, if it is another than that of most readers. */
  readonly chromium?: ChromiumOptions;
}

/** Tests a visit to a blog. Reads are open unless they are closed. */
export function testVisit(
  name: string,
  test: (visit: Visit) => Promise<void>,
  { openReads = true, serveAs = "", hitOrigins = "", numbers, ...more }: VisitOptions = {},
): void {
  const { chromium = READING, isClockStopped = false, ...options } = more;
  // A clock is stopped for all pages of a profile.
  const isPlain = chromium === READING && !isClockStopped && Object.keys(options).length === 0;
  shareChromium(chromium);
  Deno.test(name, needsChromium, async () => {
    await using site = await openEmbedding({ openReads, serveAs, hitOrigins });
    if (numbers) await site.set(numbers);
    await using reader =
      await (isPlain ? openSharedReader() : openReader(options, sharedChromium(chromium)));
    const { page } = reader;
    if (isClockStopped) {
      await page.clock.install({ time: 0 });
      await page.clock.pauseAt(1000);
    }
    const requests: string[] = [];
    page.on("request", (request) => {
      const { host, pathname, search } = new URL(request.url());
      if (host === "tally.example") requests.push(pathname + search);
    });
    await test({
      site,
      reader,
      page,
      requests,
      async open(html, path = "/", headers = {}) {
        site.pages.set(path.replace(/[?#].*/, ""), { html, headers });
        await page.goto(`http://blog.example${path}`);
      },
      async counts(id, hits) {
        let count = -1;
        const isRight = async () => (count = await site.count(id)) === hits || undefined;
        await waitFor("the number", isRight).catch(() => strictEqual(count, hits));
      },
    });
  });
}

/** Waits until the elements of a page show these texts. */
export async function shows(page: Page, texts: readonly string[]): Promise<void> {
  let shown: string[] = [];
  await waitFor("the texts", async () => {
    shown = await page.locator("tally-mark").allTextContents();
    return JSON.stringify(shown) === JSON.stringify(texts) || undefined;
  }).catch(() => deepStrictEqual(shown, texts));
}
