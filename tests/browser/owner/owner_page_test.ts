import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { startLocalService } from "../../support/local_service.ts";
import {
  type CounterLine,
  countOf,
  dayAgo,
  idsOf,
  openRow,
  testOwner,
} from "../../support/owner_page.ts";
import { authorized, SECRET } from "../../support/secret.ts";
import { waitFor } from "../../support/wait_for.ts";

const LINES: CounterLine[] = [
  { id: "blog/one", hits: 10, days: { [dayAgo(0)]: 1, [dayAgo(1)]: 4, [dayAgo(7)]: 5 } },
  { id: "blog/two", hits: 300, days: { [dayAgo(1)]: 20 } },
  { id: "_a,b", hits: 2 },
];
const FOCUSED = "document.activeElement?.textContent";

testOwner(
  "in the hand the list has the column that it is sorted by, and targets that a finger hits",
  LINES,
  async ({ page }) => {
    const heads = page.locator(".list thead th:visible");
    const columns = ["Today", "Yesterday", "7 days", "30 days", "Total"];
    for (const column of columns) {
      await page.getByLabel("Sort by").selectOption(column);
      const other = column === "Today" ? "7 days" : column;
      deepStrictEqual(
        await heads.allTextContents(),
        ["Today", "Trend", "Last 30 days", other]
          .toSorted((one, two) => order.indexOf(one) - order.indexOf(two)),
      );
    }
    await page.getByLabel("Group by prefix").check();
    await page.getByRole("button", { name: "Details of blog/" }).click();
    await page.getByText("Yesterday 24").waitFor();
    await page.getByRole("heading", { name: "Shared page" }).waitFor();
    deepStrictEqual(await crampedTargets(page), []);
    await page.locator(".opener[title='blog/one']").click();
    await page.getByText("Yesterday 4").waitFor();
    await page.getByRole("heading", { name: "Key" }).waitFor();
    deepStrictEqual(await crampedTargets(page), []);
    await page.getByRole("button", { name: "Rename, delete…" }).tap();
    await page.getByRole("button", { name: "Select", exact: true }).tap();
    deepStrictEqual(await crampedTargets(page), []);
    strictEqual(await page.locator("kbd:visible").count(), 0);
  },
  { hasTouch: true, isMobile: true, viewport: { width: 390, height: 2400 } },
);
const order = ["Today", "Yesterday", "7 days", "Trend", "30 days", "Total", "Last 30 days"];

/** The element that has the focus, its place on the page, and if it is in sight. */
interface Focused {
  readonly name: string;
  readonly top: number;
  readonly bottom: number;
  readonly isSeen: boolean;
  /** True for the bar with what can be done to the selected counters. */
  readonly isInBar: boolean;
}

const AT_FOCUS = `(() => {
  const { activeElement } = document;
  const { title, ariaLabel, textContent } = activeElement;
  const target = activeElement.closest("label") ?? activeElement;
  const { left, top, bottom } = target.getBoundingClientRect();
  const isSeen = target.contains(document.elementFromPoint(left + 5, (top + bottom) / 2));
  const name = title || ariaLabel || textContent || target.textContent;
  const isInBar = activeElement.closest("[popover]") !== null;
  return { name, isSeen, isInBar, top: top + scrollY, bottom: bottom + scrollY };
})()`;

testOwner(
  "by keyboard the focus goes down a zoomed page, and nothing covers what has it",
  LINES,
  async ({ page }) => {
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await page.getByLabel("Select blog/one", { exact: true }).check();
    await page.getByRole("link", { name: "Tallymark" }).focus();
    let last = 0;
    let way = "";
    while (!way.endsWith("> blog/one")) {
      const { name, top, bottom, isSeen, isInBar } = await page.evaluate<Focused>(AT_FOCUS);
      way += ` > ${name}`;
      ok(isSeen && (isInBar || bottom > last), way);
      if (!isInBar) last = top;
      await page.keyboard.press("Tab");
    }
    match(way, /Sign out > .* > Select all > .* > Select blog\/two > blog\/two > /);
  },
  { viewport: { width: 390, height: 640 } },
);

testOwner(
  "a group copies the lines of all its counters, leads to what can be done to them, and offers the list alone where reads are protected",
  LINES,
  async ({ page, service }) => {
    await page.getByLabel("Group by prefix").check();
    await page.getByRole("button", { name: "Details of blog/" }).click();
    const query = new URLSearchParams({ prefix: "blog/" });
    const { key } = await (await fetch(`${service.url}/key?${query}`, { headers: authorized }))
      .json();
    const image = (id: string) => `${service.url}/hit.svg?id=${id}&key=${key}`;
    const copied: Record<string, string> = {
      Markdown: `- blog/one ![views](${image("blog/one")})\n`,
      HTML: `<ul>\n  <li>blog/one <img alt="views" src="${
        image("blog/one").replace("&", "&amp;")
      }">`,
      CSV: `id,views,image\nblog/one,10,${image("blog/one")}\nblog/two,300,`,
    };
    for (const [format, begin] of Object.entries(copied)) {
      await page.getByRole("combobox", { name: "Format" }).selectOption(format);
      await page.getByRole("button", { name: "Copy all lines" }).click();
      await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
      const text = await page.evaluate<string>("navigator.clipboard.readText()");
      strictEqual(text.slice(0, begin.length), begin);
      await page.getByRole("button", { name: "Copy all lines" }).waitFor();
    }
    await page.getByText("Reads are protected on this server, so").waitFor();
    const formats = page.locator(".detail .split > :last-child .segments label");
    deepStrictEqual(await formats.allInnerTexts(), ["List"]);
    strictEqual(await page.getByRole("link", { name: "Open badge" }).count(), 0);
    await page.getByRole("button", { name: "Rename, delete…" }).click();
    await page.getByText("2 counters, 310 views").waitFor();
    await page.getByRole("button", { name: "Delete these 2 counters…" }).press("Enter");
    await page.getByText("Delete 2 counters with 310 views?").waitFor();
  },
);

testOwner(
  "a counter creates links that count and lead to an address, and says which addresses cannot be",
  LINES,
  async ({ page, service }) => {
    await openRow(page, "_a,b");
    await page.getByText("Count a link").click();
    await page.getByLabel("Address that the link leads to").fill("ftp://example.com/");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByText("to must be an address with http or https").waitFor();
    await page.getByLabel("Address that the link leads to").fill("https://example.com/a b?c=1&d");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("button", { name: "Copy the link" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    ok(link.startsWith(`${service.url}/go?id=_a%2Cb&to=https%3A//example.com/`));
    const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0" };
    const used = await fetch(link, { redirect: "manual", headers });
    await used.body?.cancel();
    strictEqual(used.headers.get("location"), "https://example.com/a%20b?c=1&d");
    strictEqual(await countOf(service, "_a,b"), "3");
  },
);

testOwner(
  "on the first days the shortest range is chosen, times are short, and large numbers leave room for names",
  [
    ...LINES,
    { id: "big/one", hits: 2 ** 52, days: { [dayAgo(0)]: 2 ** 51, [dayAgo(1)]: 2 ** 51 } },
    {
      id: "big/two",
      hits: 1,
    },
  ],
  async ({ page }) => {
    await page.getByText(/^as of \d{1,2}:\d\d [AP]M · days in /).waitFor();
    const ranges = page.locator(".figures + .chart .segments label:visible");
    deepStrictEqual(await ranges.allTextContents(), ["30dLast 30 days", "12mLast 12 months"]);
    ok(await page.getByRole("radio", { name: "Last 30 days" }).isChecked());
    strictEqual(await page.locator(".figures + .chart .bar").count(), 8);
    await page.getByLabel("Group by prefix").check();
    for (const width of [1280, 920]) {
      await page.setViewportSize({ width, height: 900 });
      const cut = "names.filter((name) => name.scrollWidth > name.clientWidth).length";
      const names = `[...document.querySelectorAll(".name")]`;
      strictEqual(await page.evaluate(cut.replace("names", names)), 0, `${width}`);
    }
    const search = page.getByLabel("Search");
    await search.fill("zzz");
    await page.getByText("No counter contains “zzz”").waitFor();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByText("5 counters", { exact: true }).waitFor();
    ok(await search.evaluate((field) => field === field.ownerDocument.activeElement));
  },
);

testOwner(
  "the focus stays with a row and a field through a refresh, moves with a view, and / searches from the table alone",
  LINES,
  async ({ page, service }) => {
    await page.route("**/status", (route) => {
      return route.fulfill({ json: { timeZone: "UTC", warnings: ["The secret is new"] } });
    });
    await page.clock.install();
    await page.reload();
    await page.getByText("3 counters", { exact: true }).waitFor();
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
    await field.fill("https://example.com/");
    const hit = await fetch(`${service.url}/hit?id=blog/two`, { headers: authorized });
    strictEqual((await hit.json()).hits, 303);
    await field.evaluate((it) => it.addEventListener("blur", () => it.ariaLabel = "left"));
    await page.clock.fastForward(70_000);
    await page.locator("tr", { hasText: "303" }).first().waitFor();
    ok(await field.evaluate((it) => it === it.ownerDocument.activeElement));
    strictEqual(await field.inputValue(), "https://example.com/");
    const design = page.getByRole("link", { name: "Design a badge" });
    await design.scrollIntoViewIfNeeded();
    await design.click();
    await waitFor("the heading", async () => await page.evaluate(FOCUSED) === "Build a badge");
    strictEqual(await page.evaluate("scrollY"), 0);
    await page.route("**/decisions", (route) => {
      const decision = { time: "2026-01-02T12:00:00Z", id: "blog/one", outcome: "bot" };
      return route.fulfill({ json: { decisions: [decision], rejected: [] } });
    });
    await page.getByRole("link", { name: "Requests" }).click();
    match(await page.locator(".log tbody tr").innerText(), /^Jan 2, 2026, \d{1,2}:\d\d [AP]M/);
    strictEqual(await page.evaluate(FOCUSED), "Recent requests");
  },
);

testOwner(
  "in the hand the reason of a request is below the rest, in two lines and in sight",
  LINES,
  async ({ page }) => {
    await page.route("**/decisions", (route) => {
      const hit = { time: "2026-01-02T12:00:00Z", id: "a".repeat(60), outcome: "unauthorized" };
      return route.fulfill({ json: { decisions: [], rejected: [hit] } });
    });
    await page.getByRole("link", { name: "Requests" }).click();
    const [counted, reason] = ["no", "without the secret or the key of this counter"].map((name) =>
      page.getByRole("cell", { name, exact: true })
    );
    const [above, below] = [await counted?.boundingBox(), await reason?.boundingBox()];
    ok(above && below && below.y >= above.y + above.height);
    ok(below.height < 50 && below.x + below.width < 320, JSON.stringify(below));
  },
  { viewport: { width: 320, height: 640 } },
);

testOwner(
  "signing out while the counters load leaves none of them, and the form to sign in has the focus",
  LINES,
  async ({ page, service }) => {
    const asked = Promise.withResolvers<Route>();
    await page.route("**/counters?*", (route) => asked.resolve(route));
    await page.getByRole("button", { name: "Refresh" }).click();
    const route = await asked.promise;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Build a badge" }).waitFor();
    await route.continue().catch(() => {});
    deepStrictEqual(await idsOf(page), []);
    ok(!/blog\/(?:one|two)/.test(await page.content()));
    await page.goto("about:blank");
    await page.goto(`${service.url}/#counters`);
    await page.getByLabel("Secret").waitFor();
    strictEqual(await page.evaluate("document.activeElement.id"), "secret");
  },
);

testOwner(
  "two services below two paths of one host have a session each",
  LINES,
  async ({ page: other, service }) => {
    await using second = await startLocalService({ SECRET_TOKEN: SECRET });
    const upstream: Record<string, string> = { one: service.url, two: second.url };
    await using proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { pathname, search } = new URL(request.url);
      const [, name = "", path] = /^\/(\w+)(\/.*)/.exec(pathname) ?? [];
      return fetch(new Request(`${upstream[name]}${path}${search}`, request));
    });
    const open = async (path: string) => {
      const page = await other.context().newPage();
      await page.goto(`http://127.0.0.1:${proxy.addr.port}/${path}`);
      return page;
    };
    const one = await open(`one/#sign-in=${SECRET}`);
    await one.getByText("3 counters", { exact: true }).waitFor();
    const two = await open("two/#counters");
    await two.getByLabel("Secret").waitFor();
    await two.getByLabel("Secret").fill(SECRET);
    await two.getByLabel("Secret").press("Enter");
    await two.getByText("No counters yet").waitFor();
    const sibling = await open("one/#counters");
    await sibling.getByText("3 counters", { exact: true }).waitFor();
    await one.getByRole("button", { name: "Sign out" }).click();
    // The message that ends this session would have ended that of the other service as well.
    await sibling.getByRole("heading", { name: "Build a badge" }).waitFor();
    ok(await two.getByRole("button", { name: "Sign out" }).isVisible());
    await two.reload();
    await two.getByText("No counters yet").waitFor();
  },
);

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
