import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Locator, Page, Route } from "playwright-core";
import {
  type CounterLine,
  dayAgo,
  hitThrice,
  idsOf,
  importLines,
  openRow,
  refreshed,
  signIn,
  testOwner,
} from "../../../support/owner_page.ts";
import { authorized, SECRET } from "../../../support/secret.ts";
import {
  assertAccessible,
  assertAccessibleInBothModes,
  assertFits,
  testPage,
} from "../../../support/web_page.ts";
import { waitFor } from "../../../support/wait_for.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const LINES: CounterLine[] = [
  { id: "blog/one", hits: 10, days: { [dayAgo(0)]: 1, [dayAgo(1)]: 4, [dayAgo(8)]: 5 } },
  { id: "blog/two", hits: 300, days: { [dayAgo(0)]: 20 } },
  { id: "javascript:alert(1)", hits: 2 },
  { id: HOSTILE, hits: 12_345 },
];

testOwner(
  "the counters add up, and are listed, sorted, searched and opened by pointer and keyboard, whatever their ids hold",
  LINES,
  async ({ page }) => {
    const figures = await page.locator(".figures > div").allInnerTexts();
    deepStrictEqual(figures.map((text) => text.replace(/\s+/g, " ")), [
      "Today 21 4 yesterday",
      "Last 7 days 25 new",
      "Last 30 days 30 new",
      "Total 12,657 in 4 counters",
    ]);
    await page.getByRole("button", { name: "Total" }).click();
    deepStrictEqual(await idsOf(page), [HOSTILE, "blog/two", "blog/one", "javascript:alert(1)"]);
    await page.getByRole("button", { name: "Counter" }).click();
    deepStrictEqual(await idsOf(page), [HOSTILE, "blog/one", "blog/two", "javascript:alert(1)"]);
    await page.getByLabel("Search").fill("BLOG");
    await page.getByText("2 of 4 counters", { exact: true }).waitFor();
    deepStrictEqual(await idsOf(page), ["blog/one", "blog/two"]);
    strictEqual(await page.locator("table img, table script").count(), 0);
    await page.getByLabel("Search").fill("zzz");
    await page.getByText("No counter contains “zzz”").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    await page.getByText("4 counters", { exact: true }).waitFor();

    await page.getByRole("button", { name: "blog/one", exact: true }).focus();
    await page.keyboard.press("/");
    await page.keyboard.type("two");
    await page.getByText("1 of 4 counters").waitFor();
    const row = page.getByRole("button", { name: "blog/two", exact: true });
    await row.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "blog/two" }).waitFor();
    strictEqual(await row.getAttribute("aria-expanded"), "true");
    await page.getByRole("button", { name: "Set the total…" }).press("Enter");
    await page.keyboard.press("Escape");
    strictEqual(await page.getByRole("dialog").count(), 0);
    await page.keyboard.press("Escape");
    strictEqual(await page.locator(".detail").count(), 0);
  },
);

testOwner("counters are grouped by prefix, with their sum, and the choice is remembered", [
  ...LINES,
  ...["a", "b", "c", "d"].map((id) => ({ id, hits: 1 })),
], async ({ page }) => {
  await page.getByRole("button", { name: "Total" }).click();
  const group = page.getByRole("row", { name: /blog\// }).first();
  match((await group.innerText()).replace(/\s+/g, " "), /blog\/ 2 counters Details 21 4 25 .* 310/);
  deepStrictEqual((await idsOf(page)).slice(0, 4), [HOSTILE, "blog/", "blog/two", "blog/one"]);
  await page.getByRole("button", { name: "2 counters under blog/" }).click();
  deepStrictEqual((await idsOf(page)).slice(0, 3), [HOSTILE, "blog/", "javascript:alert(1)"]);
  await page.getByLabel("Group by prefix").uncheck();
  ok(!(await idsOf(page)).includes("blog/"));
  await page.reload();
  await page.getByText("8 counters", { exact: true }).waitFor();
  ok(!await page.getByLabel("Group by prefix").isChecked());
});

const PAGES = Array.from({ length: 50 }, (_, index) => ({
  id: `https://example.com/${index}`,
  hits: index,
  days: { [dayAgo(1)]: index },
}));

testOwner(
  "above 50 counters groups start folded, and one opens with its chart, badge and key, and sums what /count sums",
  [...PAGES, { id: "https://example.com", hits: 7 }, { id: "https://example.org/a", hits: 1 }],
  async ({ page, service }) => {
    const prefix = "https://example.com/";
    deepStrictEqual((await idsOf(page)).toSorted(), [
      "https://example.com",
      prefix,
      "https://example.org/a",
    ]);
    await page.getByRole("button", { name: `50 counters under ${prefix}` }).click();
    strictEqual((await idsOf(page)).length, 53);
    await page.getByRole("button", { name: `50 counters under ${prefix}` }).click();
    await page.getByLabel("Search").fill("com/31");
    await page.getByText("1 of 50 counters", { exact: true }).waitFor();
    deepStrictEqual(await idsOf(page), [prefix, `${prefix}31`]);

    await page.getByRole("button", { name: `Details of ${prefix}` }).click();
    const detail = page.locator(".detail");
    const query = new URLSearchParams({ prefix });
    const ask = async (path: string) =>
      await (await fetch(`${service.url}/${path}?${query}`, { headers: authorized })).json();
    const [{ key }, { hits, counters }] = await Promise.all([ask("key"), ask("count")]);
    await detail.getByText(key, { exact: true }).waitFor();
    await detail.getByText("badge?prefix=https%3A//example.com/").waitFor();
    strictEqual(
      await detail.getByRole("link", { name: "Open badge" }).getAttribute("href"),
      "badge?prefix=https%3A//example.com/",
    );
    strictEqual(counters, 50);
    const row = page.locator("tr.group");
    ok((await row.innerText()).includes(hits.toLocaleString("en-US")));
    await detail.getByRole("radio", { name: "Last 12 months" }).click();
    match(await detail.getByRole("img").getAttribute("aria-label") ?? "", /12 months: 1,225 in/);
    await openRow(page, "https://example.com/31");
    await page.getByRole("heading", { name: `${prefix}31` }).waitFor();
    strictEqual(await page.locator(".detail").count(), 1);
    strictEqual(
      await page.getByRole("link", { name: "Open badge" }).getAttribute("href"),
      "badge?id=https%3A//example.com/31",
    );
  },
  { env: { PUBLIC_READS: "1" } },
);

testOwner(
  "the first weeks are drawn from the first known day, and of days that tie the first is the best, named at its bar, clear of lines",
  [{
    id: "tied",
    hits: 136,
    days: {
      ...Object.fromEntries([0, 1, 2, 4, 5, 6].map((back) => [dayAgo(back), 10])),
      [dayAgo(3)]: 38,
      [dayAgo(7)]: 38,
    },
  }],
  async ({ page }) => {
    const chart = page.locator(".figures + .chart");
    strictEqual(await chart.locator(".bar").count(), 8);
    const [name, bar, line] = await Promise.all(
      [".peak", ".hot", ".scale >> nth=2"].map((part) => chart.locator(part).boundingBox()),
    );
    ok(name && bar && line);
    ok(Math.abs(name.x - bar.x) < 2, `${name.x} ${bar.x}`);
    ok(name.y + name.height <= line.y + 1 || name.y >= line.y, `${name.y} ${line.y}`);
    await openRow(page, "tied");
    const dateText = (year?: "numeric") =>
      new Date(dayAgo(7)).toLocaleDateString("en-US", {
        timeZone: "UTC",
        month: "short",
        day: "numeric",
        ...(year && { year }),
      });
    const detail = page.locator(".detail");
    await detail.getByText(`Best day ${dateText("numeric")}, 38`).waitFor();
    match(await detail.locator(".bars").getAttribute("aria-label") ?? "", /with 38$/);
    strictEqual(await detail.locator(".peak").textContent(), `38 · ${dateText()}`);
  },
);

testOwner(
  "of many counters the first hundred are rows, more follow before the end of them is seen, and a refresh draws what changed",
  Array.from({ length: 250 }, (_, index) => ({
    id: `c${index}`,
    hits: index,
    days: { [dayAgo(index % 60)]: index },
  })),
  async ({ page, service }) => {
    await page.getByText("250 counters", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Total" }).click();
    const rows = page.locator(".counters > tbody > tr");
    strictEqual(await rows.count(), 100);
    for (const last of ["c150", "c50"]) {
      await page.getByRole("button", { name: last, exact: true }).focus();
      await page.locator(`tr:has([title="${last}"]) + tr`).waitFor();
    }
    strictEqual(await rows.count(), 250);
    await openRow(page, "c0");
    await page.getByRole("heading", { name: "Key" }).waitFor();
    strictEqual(await rows.count(), 251);
    strictEqual(await page.locator(":focus").getAttribute("title"), "c0");
    await rows.evaluateAll((all) => all.forEach((row) => row.ariaLabel = "drawn before"));
    await hitThrice(service, "c249");
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.locator('tr:has([title="c249"])', { hasText: "252" }).waitFor();
    strictEqual(await page.locator("tr[aria-label]").count(), 249);
    strictEqual(await rows.count(), 251);
    await page.getByRole("button", { name: "c0", exact: true }).focus();
    // The head of the table stays in view, and covers no row that has the focus.
    for (let row = 1; row <= 15; row++) {
      await page.keyboard.press("Shift+Tab");
      ok(
        await page.evaluate("document.activeElement.getBoundingClientRect().top >= 36"),
        `c${row}`,
      );
    }
    const plot = page.locator(".plot").first();
    await plot.hover();
    await page.locator(".tip").first().getByText(/Most views: c\d+/).waitFor();
  },
  { viewport: { width: 1280, height: 400 } },
);

testOwner(
  "each chart has ranges, a tooltip by pointer and arrow keys, and its figures as a table",
  [
    {
      id: "a",
      hits: 31,
      days: { [dayAgo(0)]: 3, [dayAgo(1)]: 7, [dayAgo(89)]: 1, [dayAgo(200)]: 20 },
    },
  ],
  async ({ page }) => {
    const chart = page.locator(".figures + .chart");
    const drawn = chart.getByRole("img");
    match(
      await drawn.getAttribute("aria-label") ?? "",
      /last 90 days: 11 in all, most on .* with 7$/,
    );
    await chart.locator(".plot").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    match(await chart.locator(".tip").innerText(), /\n7 views\nMost views: a \(7\)$/);
    match(await page.locator("#said").innerText(), /7 views/);
    await page.keyboard.press("Escape");
    ok(await chart.locator(".tip").isHidden());
    await chart.getByRole("radio", { name: "Last 12 months" }).click();
    await waitFor(
      "the year",
      async () => /: 31 in all/.test(await drawn.getAttribute("aria-label") ?? "") || undefined,
    );
    strictEqual(await chart.locator(".bar").count(), 12);
    await chart.getByText("Daily figures").click();
    strictEqual(await chart.locator("tbody tr").count(), 12);
    await chart.getByRole("radio", { name: "Last 30 days" }).click();
    strictEqual(await chart.locator(".bar").count(), 30);
    match(await chart.locator("tbody").innerText(), /^\w+, \w+ \d+\s3\n\w+, \w+ \d+\s7\n/);
    await page.keyboard.press("ArrowRight");
    strictEqual(await chart.locator(".bar").count(), 90);
    strictEqual(await page.locator("label:has(:focus)").textContent(), "90dLast 90 days");
  },
);

testOwner(
  "without a counter the page says how one begins, and one counter is one counter",
  [],
  async ({ page, service }) => {
    await page.getByText("No counters yet").waitFor();
    await assertAccessible(page);
    await page.getByRole("link", { name: "Build your first badge" }).click();
    await page.getByRole("heading", { name: "Build a badge" }).waitFor();
    match(page.url(), /#badges/);
    await importLines(service, [{ id: "a", hits: 1 }]);
    await page.getByRole("link", { name: "Counters", exact: true }).click();
    await page.getByText("1 counter", { exact: true }).waitFor();
    await page.getByText("in 1 counter", { exact: true }).waitFor();
  },
);

testPage("where the store is away from the start, the page says so, tries again and waits", {
  env: { SECRET_TOKEN: SECRET },
  prepare: (service) => importLines(service, LINES),
}, async ({ page }) => {
  const shown = page.locator(".figures, .counters").locator("visible=true");
  await page.clock.install();
  await page.reload();
  await page.route("**/counters?*", (route) => route.fulfill({ status: 503, body: "{}" }));
  await signIn(page);
  await page.getByText("The store cannot be reached.").waitFor();
  strictEqual(await shown.count(), 0);
  await assertAccessible(page);
  await page.unroute("**/counters?*");
  let loads = 0;
  page.on("request", (request) => loads += Number(/\/counters\?/.test(request.url())));
  const asked = Promise.withResolvers<Route>();
  await page.route("**/counters?*", (route) => asked.resolve(route));
  await page.getByRole("button", { name: "Try again" }).click();
  const route = await asked.promise;
  await page.getByText("loading…").waitFor();
  strictEqual(await shown.count(), 0);
  // However long that takes, it is not begun again by itself.
  await page.clock.fastForward(120_000);
  await route.continue();
  await page.getByText("4 counters", { exact: true }).waitFor();
  strictEqual(loads, 1);
});

testOwner(
  "figures stay while the list cannot be loaded, and the page says why, and since when, and loads it again",
  LINES,
  async ({ page }) => {
    const refresh = page.getByRole("button", { name: "Refresh" });
    const again = page.getByRole("button", { name: "Try again" });
    const paths: string[] = [];
    page.on("request", (request) => paths.push(new URL(request.url()).pathname));
    const warnings = ["Redis may forget counters"];
    await page.route(
      "**/status",
      (route) => route.fulfill({ json: { timeZone: "UTC", warnings } }),
    );
    await refresh.click();
    await page.getByText("Redis may forget counters").waitFor();
    deepStrictEqual(paths, ["/status", "/counters"]);
    await page.unroute("**/status");

    await page.route("**/counters?*", (route) =>
      route.fulfill({
        status: 503,
        contentType: "application/problem+json",
        json: { status: 503, title: "Store unavailable", detail: "The store is away." },
      }));
    await refresh.click();
    await page.getByText("The store cannot be reached.").waitFor();
    await page.getByText(/Figures are as of .* New views are not counted until it is back\./)
      .waitFor();
    await page.unroute("**/counters?*");

    await page.route("**/counters?*", (route) =>
      route.fulfill({
        contentType: "application/x-ndjson",
        body: '{"id":"blog/one","hits":1}\n',
      }));
    await again.click();
    await page.getByText("The list was cut off.").waitFor();
    await page.unroute("**/counters?*");

    await page.context().setOffline(true);
    await again.click();
    await page.getByText("The server cannot be reached.").waitFor();
    strictEqual((await idsOf(page)).length, 4);
    await page.context().setOffline(false);
    await again.click();
    await again.waitFor({ state: "hidden" });
    await refreshed(page);
    strictEqual(await page.locator(".note:visible").count(), 0);
  },
);

const LONG = Array.from({ length: 5 }, (_, index) => ({
  id: `blog/${"a-long-title-".repeat(9)}${index}`,
  hits: 12_345_678,
}));

testOwner(
  "the counters fit at every width, and can be used by everybody, in light and in dark",
  [...LINES, ...LONG],
  async ({ page }) => {
    await openRow(page, "blog/one");
    await page.getByRole("heading", { name: "Key" }).waitFor();
    for (const summary of await page.locator("summary:visible").all()) await summary.click();
    await checkWidths(page, assertAccessibleInBothModes, assertAccessible);
    await page.getByRole("button", { name: "Details of blog/" }).click();
    await page.getByRole("heading", { name: "Shared page" }).waitFor();
    await checkWidths(page, assertAccessible);
    await page.getByLabel("Search").fill("zzz");
    await page.getByText("No counter contains “zzz”").waitFor();
    await assertAccessible(page);
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByText(/^backup\.[\w-]{22}$/).waitFor();
    await checkWidths(page);
  },
);

/** Checks a page at four widths. The first two have every element. */
async function checkWidths(page: Page, ...checks: (typeof assertFits)[]): Promise<void> {
  for (const [index, width] of [320, 1600, 390, 768].entries()) {
    await page.setViewportSize({ width, height: 800 });
    await (checks[index] ?? assertFits)(page);
    deepStrictEqual(await cutOff(page.locator(".figures:visible .n")), []);
  }
}

const TRILLION = 123_456_789_012;

testOwner(
  "on a phone names are whole, large numbers are short, a group has one arrow, and a tap on a chart shows the day",
  [
    ...["one", "npm/a-name-that-is-long"].map((name, index) => ({
      id: `github/${name}`,
      hits: TRILLION,
      days: { [dayAgo(0)]: 7_654_321 + index, [dayAgo(1)]: TRILLION - 8_000_000 },
    })),
    { id: "github/", hits: 3 },
    ...["a", "b", "c", "d", "e"].map((id) => ({ id, hits: 12 })),
  ],
  async ({ page }) => {
    const names = page.locator(".name");
    deepStrictEqual((await names.allInnerTexts()).slice(0, 4), [
      ...["github/", "npm/a-name-that-is-long", "one", "github/"],
    ]);
    deepStrictEqual(await cutOff(names), []);
    const group = page.locator("tr.group");
    strictEqual(await group.locator(".chevron").count(), 1);
    const cells = page.locator("tr.in").first().locator("td:visible:not(.trend)");
    deepStrictEqual((await cells.allInnerTexts()).slice(0, 2), ["7,654,322", "123B"]);
    deepStrictEqual(await cutOff(page.locator(".figures .n")), []);
    await page.getByRole("button", { name: "3 counters under github/" }).click();
    strictEqual((await idsOf(page)).length, 6);
    await page.getByLabel("Sort by").selectOption("Counter");
    deepStrictEqual((await idsOf(page)).slice(0, 2), ["a", "b"]);
    const plot = page.locator(".plot").first();
    const box = await plot.boundingBox();
    ok(box);
    await page.touchscreen.tap(box.x + box.width - 60, box.y + 100);
    const tip = page.locator(".tip").first();
    ok(await tip.isVisible());
    match(await tip.innerText(), /\d views?/);
    await page.getByText("8 counters", { exact: true }).tap();
    await page.getByLabel("Search").focus();
    ok(await tip.isHidden());
  },
  { hasTouch: true, viewport: { width: 390, height: 1200 } },
);

/** Returns the texts that are wider than their elements. */
function cutOff(elements: Locator): Promise<(string | null)[]> {
  return elements.evaluateAll((all) =>
    all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent)
  );
}
