import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import {
  type CounterLine,
  dayAgo,
  hitThrice,
  idsOf,
  importLines,
  openRow,
  refreshed,
  testOwner,
} from "../../../support/owner_page.ts";
import { authorized } from "../../../support/secret.ts";
import {
  assertAccessible,
  assertAccessibleInBothModes,
  assertFits,
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
  "the counters add up, and are listed, sorted, searched and opened by pointer and keyboard, whatever their ids hold; grouped, large numbers leave room for names, and the choice is remembered",
  LINES,
  async ({ page, service }) => {
    await page.getByText(/^as of \d{1,2}:\d\d [AP]M · days in /).waitFor();
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

    await page.getByTitle("blog/one", { exact: true }).focus();
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
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    strictEqual(await page.locator(":focus").getAttribute("id"), "wanted");

    await importLines(service, [
      ...["a", "b", "big/two"].map((id) => ({ id, hits: 1 })),
      { id: "big/one", hits: 2 ** 52, days: { [dayAgo(0)]: 2 ** 51, [dayAgo(1)]: 2 ** 51 } },
    ]);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("8 counters", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Total" }).click();
    const group = page.locator("tr.group", { hasText: "blog/" });
    match(
      (await group.innerText()).replace(/\s+/g, " "),
      /blog\/ 2 counters Details 21 4 25 .* 310/,
    );
    const before = ["big/", "big/one", "big/two", HOSTILE, "blog/"];
    deepStrictEqual((await idsOf(page)).slice(0, 7), [...before, "blog/two", "blog/one"]);
    for (const width of [1280, 920]) {
      await page.setViewportSize({ width, height: 900 });
      deepStrictEqual(await cutOff(page.locator(".name")), [], `${width}`);
    }
    await page.getByRole("button", { name: "2 counters under blog/" }).click();
    deepStrictEqual((await idsOf(page)).slice(0, 6), [...before, "javascript:alert(1)"]);
    await page.getByLabel("Group by prefix").uncheck();
    ok(!(await idsOf(page)).includes("blog/"));
    await page.reload();
    await page.getByText("8 counters", { exact: true }).waitFor();
    ok(!await page.getByLabel("Group by prefix").isChecked());
  },
);

const PREFIX = "https://example.com/";

testOwner(
  "above 50 counters groups start folded, and one opens with its chart, badge and key, and sums what /count sums; of many counters the first hundred are rows, more follow before the end of them is seen, and a refresh draws what changed",
  [
    ...Array.from({ length: 205 }, (_, index) => ({
      id: `${PREFIX}${index}`,
      hits: index,
      days: { [dayAgo(index % 60)]: index },
    })),
    { id: "https://example.com", hits: 7 },
    { id: "https://example.org/a", hits: 1 },
  ],
  async ({ page, service }) => {
    deepStrictEqual((await idsOf(page)).toSorted(), [
      "https://example.com",
      PREFIX,
      "https://example.org/a",
    ]);
    const fold = page.getByRole("button", { name: `205 counters under ${PREFIX}` });
    await page.getByLabel("Search").fill("com/31");
    await page.getByText("1 of 205 counters", { exact: true }).waitFor();
    deepStrictEqual(await idsOf(page), [PREFIX, `${PREFIX}31`]);

    await page.getByRole("button", { name: `Details of ${PREFIX}` }).click();
    const detail = page.locator(".detail");
    const query = new URLSearchParams({ prefix: PREFIX });
    const ask = async (path: string) =>
      await (await fetch(`${service.url}/${path}?${query}`, { headers: authorized })).json();
    const [{ key }, { hits, counters }] = await Promise.all([ask("key"), ask("count")]);
    await detail.getByText(key, { exact: true }).waitFor();
    await detail.getByText("badge?prefix=https%3A//example.com/").waitFor();
    const badge = detail.getByRole("link", { name: "Open badge" });
    strictEqual(await badge.getAttribute("href"), "badge?prefix=https%3A//example.com/");
    strictEqual(counters, 205);
    const row = page.locator("tr.group");
    ok((await row.innerText()).includes(hits.toLocaleString("en-US")));
    await detail.getByRole("radio", { name: "Last 12 months" }).click();
    match(await detail.getByRole("img").getAttribute("aria-label") ?? "", /12 months: 20,910 in/);
    await openRow(page, `${PREFIX}31`);
    await page.getByRole("heading", { name: `${PREFIX}31` }).waitFor();
    strictEqual(await page.locator(".detail").count(), 1);
    strictEqual(await badge.getAttribute("href"), "badge?id=https%3A//example.com/31");

    await page.keyboard.press("Escape");
    await page.getByLabel("Search").fill("");
    await page.getByText("207 counters", { exact: true }).waitFor();
    await fold.click();
    await page.getByRole("button", { name: "Total" }).click();
    const rows = page.locator(".counters > tbody > tr");
    strictEqual(await rows.count(), 100);
    for (const last of [106, 6]) {
      const opener = page.getByTitle(`${PREFIX}${last}`, { exact: true });
      await opener.focus();
      await page.locator("tr", { has: opener }).locator("+ tr").waitFor();
    }
    strictEqual(await rows.count(), 208);
    await openRow(page, `${PREFIX}0`);
    await page.getByRole("heading", { name: "Key" }).waitFor();
    strictEqual(await rows.count(), 209);
    strictEqual(await page.locator(":focus").getAttribute("title"), `${PREFIX}0`);
    await rows.evaluateAll((all) => all.forEach((row) => row.ariaLabel = "drawn before"));
    await hitThrice(service, `${PREFIX}204`);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.locator(`tr:has([title="${PREFIX}204"])`, { hasText: "207" }).waitFor();
    // All but the group, that counter and the opened row.
    strictEqual(await page.locator("tr[aria-label]").count(), 206);
    strictEqual(await rows.count(), 209);
    await page.getByTitle(`${PREFIX}0`, { exact: true }).focus();
    // The head of the table stays in view, and covers no row that has the focus.
    for (let row = 1; row <= 10; row++) {
      await page.keyboard.press("Shift+Tab");
      ok(
        await page.evaluate("document.activeElement.getBoundingClientRect().top >= 36"),
        `${row}`,
      );
    }
    await page.locator(".plot").first().hover();
    await page.locator(".tip").first().getByText(/Most views: \S+\/\d+/).waitFor();
    await fold.click();
    strictEqual((await idsOf(page)).length, 3);
  },
  { env: { PUBLIC_READS: "1" }, viewport: { width: 1280, height: 280 } },
);

testOwner(
  "each chart has ranges, a tooltip by pointer and arrow keys, and its figures as a table; the first weeks are drawn from the first known day, and of days that tie the first is the best, named at its bar, clear of lines",
  [
    {
      id: "a",
      hits: 31,
      days: { [dayAgo(0)]: 3, [dayAgo(1)]: 7, [dayAgo(89)]: 1, [dayAgo(200)]: 20 },
    },
  ],
  async ({ page, service }) => {
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

    await fetch(`${service.url}/counters?id=a`, { method: "DELETE", headers: authorized })
      .then((answer) => answer.body?.cancel());
    await importLines(service, [{
      id: "tied",
      hits: 136,
      days: {
        ...Object.fromEntries([0, 1, 2, 4, 5, 6].map((back) => [dayAgo(back), 10])),
        [dayAgo(3)]: 38,
        [dayAgo(7)]: 38,
      },
    }]);
    await page.reload();
    await page.getByText("in 1 counter", { exact: true }).waitFor();
    const ranges = chart.locator(".segments label:visible");
    deepStrictEqual(await ranges.allTextContents(), ["30dLast 30 days", "12mLast 12 months"]);
    ok(await page.getByRole("radio", { name: "Last 30 days" }).isChecked());
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
  "figures stay while the list cannot be loaded, and the page says why, and since when, and loads it again; the focus stays with a row and a field through a refresh, and / searches from the table alone",
  LINES,
  async ({ page, service }) => {
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

    warnings.pop();
    await page.context().setOffline(true);
    await again.click();
    await page.getByText("The server cannot be reached.").waitFor();
    strictEqual((await idsOf(page)).length, 4);
    await page.context().setOffline(false);
    await again.click();
    await again.waitFor({ state: "hidden" });
    await refreshed(page);
    strictEqual(await page.locator(".note:visible").count(), 0);

    warnings.push("The secret is new");
    await page.clock.install();
    await page.reload();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.keyboard.press("/");
    strictEqual(await page.getByLabel("Search").inputValue(), "");
    // Until the next frame the hidden button has the focus.
    notStrictEqual(await page.evaluate("document.activeElement?.type"), "search");
    await page.getByRole("button", { name: "Select", exact: true }).click();
    for (const [role, hits] of [["checkbox", 301], ["button", 302]] as const) {
      const part = page.getByRole("row", { name: "blog/two" }).getByRole(role);
      await part.focus();
      const hit = await fetch(`${service.url}/hit?id=blog/two`, { headers: authorized });
      strictEqual((await hit.json()).hits, hits);
      await page.clock.fastForward(70_000);
      await page.locator("tr", { hasText: String(hits) }).waitFor();
      ok(await part.evaluate((it) => it === it.ownerDocument.activeElement), role);
    }
    ok(await page.getByText("The secret is new").isHidden());
    await page.keyboard.press("Enter");
    await page.getByText("Count a link").click();
    const field = page.getByLabel("Address that the link leads to");
    // Each key by itself, because / has a meaning in the list.
    await field.pressSequentially("https://example.com/");
    const hit = await fetch(`${service.url}/hit?id=blog/two`, { headers: authorized });
    strictEqual((await hit.json()).hits, 303);
    await field.evaluate((it) => it.addEventListener("blur", () => it.ariaLabel = "left"));
    await page.clock.fastForward(70_000);
    await page.locator("tr", { hasText: "303" }).first().waitFor();
    ok(await field.evaluate((it) => it === it.ownerDocument.activeElement));
    strictEqual(await field.inputValue(), "https://example.com/");
  },
);

const LONG = Array.from({ length: 5 }, (_, index) => ({
  id: `blog/${"a-long-title-".repeat(9)}${index}`,
  hits: 12_345_678,
}));

testOwner(
  "the counters fit at every width, and they, what is asked and said of them, the requests and the end of a session can be used by everybody, in light and in dark",
  [...LINES, ...LONG],
  async ({ page, service }) => {
    await openRow(page, "blog/one");
    await page.getByRole("heading", { name: "Key" }).waitFor();
    for (const summary of await page.locator(".detail summary").all()) await summary.click();
    await checkWidths(page, assertAccessibleInBothModes);
    await page.getByRole("button", { name: "Details of blog/" }).click();
    await page.getByRole("heading", { name: "Shared page" }).waitFor();
    await checkWidths(page, assertFits, assertAccessible);
    await page.getByLabel("Search").fill("zzz");
    await page.getByText("No counter contains “zzz”").waitFor();
    await assertAccessible(page);

    await page.getByLabel("Search").fill("two");
    await page.setViewportSize({ width: 390, height: 1200 });
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await page.getByLabel("Select blog/two", { exact: true }).check();
    await page.getByText("blog/two, 300 views").waitFor();
    await assertAccessibleInBothModes(page);
    await page.emulateMedia({ colorScheme: "light" });
    await openRow(page, "blog/two");
    await page.getByRole("button", { name: "Set the total…" }).press("Enter");
    await page.getByText("Past days stay as they are.").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Total", { exact: true }).fill("77");
    await page.getByRole("button", { name: "Save" }).click();
    await page.route(/mode=add/, (route) => route.fulfill({ status: 413, body: "413" }));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restored 0 of 1 counter.").waitFor();
    await assertAccessible(page);

    await page.getByRole("link", { name: "Data" }).click();
    await page.getByText(/^backup\.[\w-]{22}$/).waitFor();
    await checkWidths(page);
    for (const id of ["blog/one", "new"]) {
      await fetch(`${service.url}/hit?id=${id}&key=wrong`).then((answer) => answer.body?.cancel());
    }
    await hitThrice(service, "blog/one");
    await page.getByRole("link", { name: "Requests" }).click();
    await page.locator(".log tbody tr").first().waitFor();
    await assertAccessible(page);
    const over = JSON.stringify({ token: "s1.1.x", expires: "2020-01-01T00:00:00Z" });
    await page.evaluate((text) => sessionStorage.setItem("tallymark-session:/", text), over);
    await page.getByRole("link", { name: "Counters", exact: true }).click();
    await page.getByRole("heading", { name: "The session has ended" }).waitFor();
    await assertAccessible(page);
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
  "on a phone names are whole, large numbers are short, a group has one arrow, a tap on a chart shows the day, the list has the column that it is sorted by, and targets that a finger hits",
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

    const heads = page.locator(".list thead th:visible");
    for (const column of ["Today", "Yesterday", "7 days", "30 days", "Total"]) {
      await page.getByLabel("Sort by").selectOption(column);
      const other = column === "Today" ? "7 days" : column;
      const seen = ["Today", "Trend", "Last 30 days", other];
      deepStrictEqual(await heads.allTextContents(), ORDER.filter((name) => seen.includes(name)));
    }
    await page.getByRole("button", { name: "3 counters under github/" }).click();
    await page.getByRole("button", { name: "Details of github/" }).click();
    await page.getByRole("heading", { name: "Shared page" }).waitFor();
    deepStrictEqual(await crampedTargets(page), []);
    await openRow(page, "github/one");
    await page.getByRole("heading", { name: "Key" }).waitFor();
    deepStrictEqual(await crampedTargets(page), []);
    await page.getByRole("button", { name: "Rename, delete…" }).tap();
    await page.getByRole("button", { name: "Select", exact: true }).tap();
    deepStrictEqual(await crampedTargets(page), []);
    strictEqual(await page.locator("kbd:visible").count(), 0);
  },
  { hasTouch: true, isMobile: true, viewport: { width: 390, height: 3000 } },
);
const ORDER = ["Today", "Yesterday", "7 days", "Trend", "30 days", "Total", "Last 30 days"];

/** Lists the targets that are lower than 32 px, and the pairs with less than 8 px between them. */
function crampedTargets(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const kinds = ".top div :is(a, button), main :is(a, button, summary, select, .check, .segments label)";
    const all = [...document.querySelectorAll(kinds)].filter((target) => target.checkVisibility())
      .map((target) => [target, target.getBoundingClientRect()]);
    const low = all.filter(([, { height }]) => height < 32);
    const close = all.filter(([one, a]) => all.some(([other, b]) => one !== other &&
      !one.contains(other) && !other.contains(one) &&
      Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom) < 8));
    return [...low, ...close].map(([{ tagName, className, textContent }, { height }]) =>
      tagName + "." + className + " " + textContent + " " + height);
  })()`);
}

/** Returns the texts that are wider than their elements. */
function cutOff(elements: Locator): Promise<(string | null)[]> {
  return elements.evaluateAll((all) =>
    all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent)
  );
}
