import { strictEqual } from "node:assert/strict";
import type { Page, Request, Route } from "playwright-core";
import { needsChromium } from "../../support/chromium.ts";
import { openEmbedding, SCRIPT } from "../../support/embedding.ts";
import { openReader, shareReaders, shows } from "../../support/reader.ts";

shareReaders();

/** Failures of requests to the service in a visitor's browser, with their paths. */
const FAILURES: { what: string; path: string; fail: (route: Route) => Promise<void> }[] = [
  { what: "blocks the service", path: "/hit", fail: (route) => route.abort() },
  { what: "blocks the script", path: "/tally.js", fail: (route) => route.abort() },
  { what: "has a blocker that answers itself", path: "/hit", fail: (route) => route.fulfill() },
  {
    what: "goes offline",
    path: "/hit",
    async fail(route) {
      await route.request().frame().page().context().setOffline(true);
      await route.continue();
    },
  },
];

for (const { what, path, fail } of FAILURES) {
  Deno.test(
    `tally.js leaves what stands in the element where the reader ${what}`,
    needsChromium,
    async () => {
      await using site = await openEmbedding();
      const mark = await site.markOf("a");
      site.pages.set("/", { html: SCRIPT + mark.replace("–", "<b>many</b> views") });
      await using reader = await openReader();
      const { page } = reader;
      await page.route(`http://tally.example${path}**`, fail);
      const [ended] = await Promise.all([
        requestEnds(page, path),
        page.goto("http://blog.example/"),
      ]);
      strictEqual(new URL(ended.url()).pathname, path);
      strictEqual(await page.innerHTML("tally-mark"), "<b>many</b> views");
      strictEqual(await site.count("a"), 0);
    },
  );
}

Deno.test(
  "tally.js leaves what stands in the element where the key opens nothing",
  needsChromium,
  async () => {
    await using site = await openEmbedding();
    const mark = await site.markOf("a");
    site.pages.set("/", { html: SCRIPT + mark.replace('"a"', '"b"') });
    await using reader = await openReader();
    const { page } = reader;
    await Promise.all([requestEnds(page, "/hit"), page.goto("http://blog.example/")]);
    await shows(page, ["–"]);
  },
);

/** The request for a path, once it was answered or was not. */
function requestEnds(page: Page, path: string): Promise<Request> {
  const isIt = (request: Request) => new URL(request.url()).pathname === path;
  return Promise.race([
    page.waitForEvent("requestfinished", isIt),
    page.waitForEvent("requestfailed", isIt),
  ]);
}
