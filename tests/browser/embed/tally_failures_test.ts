import { strictEqual } from "node:assert/strict";
import type { Page, Request, Route } from "playwright-core";
import { SCRIPT } from "../../support/embedding.ts";
import { shows, testVisit } from "../../support/reader.ts";

/** Failures of requests to the service in a visitor's browser, by their paths. */
const FAILURES: [path: string, fail: (route: Route) => Promise<void>][] = [
  ["/hit", (route) => route.abort()],
  ["/tally.js", (route) => route.abort()],
  ["/hit", (route) => route.fulfill()],
  ["/hit", async (route) => {
    await route.request().frame().page().context().setOffline(true);
    await route.continue();
  }],
];

testVisit(
  "tally.js leaves what stands in the element where the reader blocks the service or the script, has a blocker that answers itself, or goes offline",
  async ({ site, page, open }) => {
    const mark = (await site.markOf("a")).replace("–", "<b>many</b> views");
    for (const [path, fail] of FAILURES) {
      await page.route(`http://tally.example${path}**`, fail);
      const [ended] = await Promise.all([requestEnds(page, path), open(SCRIPT + mark)]);
      strictEqual(new URL(ended.url()).pathname, path);
      strictEqual(await page.innerHTML("tally-mark"), "<b>many</b> views");
      strictEqual(await site.count("a"), 0);
      await page.unrouteAll();
    }
  },
);

testVisit(
  "tally.js leaves what stands in the element where the key opens nothing",
  async ({ site, page, open }) => {
    const mark = (await site.markOf("a")).replace('"a"', '"b"');
    await Promise.all([requestEnds(page, "/hit"), open(SCRIPT + mark)]);
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
