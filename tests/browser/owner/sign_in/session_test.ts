import { Buffer } from "node:buffer";
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { needsChromium, sharedChromium } from "../../../support/chromium.ts";
import { startLocalService } from "../../../support/local_service.ts";
import {
  type CounterLine,
  countOf,
  idsOf,
  importLines,
  openRow,
  refreshed,
  signIn,
  testOwner,
} from "../../../support/owner_page.ts";
import { authorized, SECRET } from "../../../support/secret.ts";
import { startService } from "../../../support/service.ts";
import { assertAccessible, openPage, testPage } from "../../../support/web_page.ts";

const EARLIER = "earlier-secret-0123456789";
const CLOSED = { SECRET_TOKEN: SECRET };
const HOSTILE = `zz"><img src=x onerror=alert(1)>`;
const LINES: CounterLine[] = [{ id: "blog/one", hits: 10 }, { id: "blog/two", hits: 300 }];

testPage(
  "the page says that a secret is wrong or too short for sessions, and keeps neither it nor a right one; where the store is away from the start, it says so, tries again and waits; without a counter it says how one begins, and one counter is one counter",
  { env: CLOSED },
  async ({ page, service }) => {
    await using short = await startLocalService({ SECRET_TOKEN: "short" });
    await page.goto(short.url);
    await signIn(page, "short");
    await page.getByText(/Sessions are off/).waitFor();

    await page.clock.install();
    await page.goto(`${service.url}/#counters`);
    await page.getByLabel("Secret").waitFor();
    strictEqual(await page.evaluate("document.activeElement.id"), "secret");
    await signIn(page, "wrong");
    await page.getByText("That is not the secret of this server.").waitFor();
    strictEqual(await page.getByLabel("Secret").getAttribute("aria-invalid"), "true");
    strictEqual(await page.evaluate("secret.selectionEnd - secret.selectionStart"), 5);
    await assertAccessible(page);

    const shown = page.locator(".figures, .counters").locator("visible=true");
    await page.route("**/counters?*", (route) => route.fulfill({ status: 503, body: "{}" }));
    await signIn(page);
    await page.getByText("The store cannot be reached.").waitFor();
    strictEqual(await shown.count(), 0);
    await assertAccessible(page);
    await page.unroute("**/counters?*");
    let loads = 0;
    page.on("request", (request) => loads += Number(/\/counters\?/.test(request.url())));
    const asked = Promise.withResolvers<Route>();
    await page.route("**/counters?*", (route) => asked.resolve(route), { times: 1 });
    await page.getByRole("button", { name: "Try again" }).click();
    const route = await asked.promise;
    await page.getByText("loading…").waitFor();
    strictEqual(await shown.count(), 0);
    // However long that takes, it is not begun again by itself.
    await page.clock.fastForward(120_000);
    await route.continue();
    await page.getByText("No counters yet").waitFor();
    strictEqual(loads, 1);
    const kept: string = await page.evaluate(
      "JSON.stringify([sessionStorage, localStorage, document.cookie, location.href])",
    );
    ok(kept.includes("s1."));
    ok(!kept.includes(SECRET));
    strictEqual(await page.getByLabel("Secret").inputValue(), "");

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

Deno.test(
  "the link that a first start shows in its terminal signs in, once, and is out of the address before it is used; one that opens nothing asks for the secret",
  needsChromium,
  async () => {
    await using service = await startService({ wrap: inTerminal, ready: SIGN_IN_LINK });
    const link = service.url;
    const [address = "", token = ""] = link.split("#sign-in=");
    await using opened = await openPage(sharedChromium(), "about:blank");
    const { page, complaints } = opened;
    const addresses: string[] = [];
    await page.route("**/session", async (route) => {
      addresses.push(page.url());
      await route.continue();
    });
    await page.goto(link);
    await page.getByText("No counters yet").waitFor();
    deepStrictEqual(addresses, [`${address}#counters`]);
    strictEqual(page.url(), `${address}#counters`);
    const kept = await page.evaluate<string>("JSON.stringify([sessionStorage, history.state])");
    ok(!kept.includes(token));
    await page.evaluate("sessionStorage.clear()");
    for (const nothing of [link, `${address}#sign-in=%`]) {
      await page.goto("about:blank");
      await page.goto(nothing);
      await page.getByText("This sign-in link was already used or has expired.").waitFor();
      doesNotMatch(page.url(), /sign-in/);
    }
    await signIn(page, (await Deno.readTextFile(join(service.cwd, "data", "secret"))).trim());
    await page.getByText("No counters yet").waitFor();
    deepStrictEqual(complaints, []);
  },
);

testOwner(
  "a session that has ended asks for the secret above a hidden page, and does what was asked; signing out, also while counters load and a file is read, leaves nothing",
  LINES,
  async ({ page, service }) => {
    const ended = page.getByRole("heading", { name: "The session has ended" });
    const files = page.getByLabel("Files to import");
    const file = (name: string, text: string) => ({
      ...{ name, mimeType: "text/plain", buffer: Buffer.from(text) },
    });
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByRole("button", { name: "Paste text" }).click();
    await page.getByLabel("Text to import").fill("typed 5");
    await page.getByRole("link", { name: "Counters" }).click();
    await openRow(page, "blog/two");
    await page.getByText(/key=[\w-]{22}/).first().waitFor();
    await page.getByRole("button", { name: "Set the total…" }).press("Enter");
    await page.getByLabel("Total", { exact: true }).fill("4321");
    await end(page);
    await page.getByRole("button", { name: "Save" }).click();
    await ended.waitFor();
    doesNotMatch(await page.locator("body").innerText(), /blog|key=|300/);
    strictEqual(await page.evaluate("document.activeElement.id"), "secret");
    await page.keyboard.press("Escape");
    strictEqual(await countOf(service, "blog/two"), "300");
    await signIn(page);
    await page.getByText("Set blog/two to 4,321 views. It had 300.").waitFor();
    strictEqual(await countOf(service, "blog/two"), "4321");
    strictEqual(await page.getByLabel("Text to import").inputValue(), "typed 5");
    strictEqual((await idsOf(page)).length, 2);
    await refreshed(page);

    // One whose twelve hours are over is as good as none.
    const over = JSON.stringify({ token: "s1.1.x", expires: "2020-01-01T00:00:00Z" });
    await page.evaluate((text) => sessionStorage.setItem("tallymark-session:/", text), over);
    await page.getByRole("button", { name: "Refresh" }).click();
    await ended.waitFor();
    await signIn(page);
    await ended.waitFor({ state: "hidden" });
    await page.getByText(/key=[\w-]{22}/).first().waitFor();
    const kept: string = await page.evaluate("sessionStorage.getItem('tallymark-session:/')");
    ok(!(await page.content()).includes(JSON.parse(kept).token));

    await page.evaluate(() => {
      const { arrayBuffer } = Blob.prototype;
      const isRead = new Promise((resolve) => addEventListener("read", resolve, { once: true }));
      Blob.prototype.arrayBuffer = async function () {
        await isRead;
        return await arrayBuffer.call(this);
      };
    });
    await files.setInputFiles(file("mine.txt", "41 a\n"));
    await page.getByText("Reading mine.txt…").waitFor({ state: "attached" });
    const asked = Promise.withResolvers<Route>();
    await page.route("**/counters?*", (route) => asked.resolve(route), { times: 1 });
    await page.getByRole("button", { name: "Refresh" }).click();
    const route = await asked.promise;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Build a badge" }).waitFor();
    await route.continue().catch(() => {});
    deepStrictEqual(await idsOf(page), []);
    strictEqual(await page.evaluate("sessionStorage.length"), 0);
    ok(!/blog\/(?:one|two)|>4,331<|key=[\w-]{22}/.test(await page.content()));
    strictEqual(await page.getByLabel("Text to import").count(), 0);
    await signIn(page);
    await page.evaluate(() => dispatchEvent(new Event("read")));
    await page.getByRole("link", { name: "Data" }).click();
    await files.setInputFiles(file("next.txt", "7 b\n"));
    await page.getByRole("button", { name: "Import 1 counter", exact: true }).waitFor();
    deepStrictEqual(await page.locator(".file b").allTextContents(), ["next.txt"]);
  },
);

Deno.test(
  "two services below two paths of one host have a session each",
  needsChromium,
  async () => {
    await using first = await startLocalService(CLOSED);
    await using second = await startLocalService(CLOSED);
    await importLines(first, LINES);
    const upstream: Record<string, string> = { one: first.url, two: second.url };
    await using proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { pathname, search } = new URL(request.url);
      const [, name = "", path] = /^\/(\w+)(\/.*)/.exec(pathname) ?? [];
      return fetch(new Request(`${upstream[name]}${path}${search}`, request));
    });
    const url = `http://127.0.0.1:${proxy.addr.port}`;
    await using opened = await openPage(sharedChromium(), `${url}/one/#sign-in=${SECRET}`);
    const { page: one, complaints } = opened;
    await one.getByText("2 counters", { exact: true }).waitFor();
    const open = async (path: string) => {
      const page = await one.context().newPage();
      await page.goto(`${url}/${path}`);
      return page;
    };
    const two = await open("two/#counters");
    await signIn(two);
    await two.getByText("No counters yet").waitFor();
    const sibling = await open("one/#counters");
    await sibling.getByText("2 counters", { exact: true }).waitFor();
    await one.getByRole("button", { name: "Sign out" }).click();
    // The message that ends this session would have ended that of the other service as well.
    await sibling.getByRole("heading", { name: "Build a badge" }).waitFor();
    ok(await two.getByRole("button", { name: "Sign out" }).isVisible());
    await two.reload();
    await two.getByText("No counters yet").waitFor();
    deepStrictEqual(complaints, []);
  },
);

testOwner(
  "each view has an address that a reload keeps, opens at its top, and moves the focus to its heading; the owner sees which requests counted, which id and key each had, and why others did not count, in the hand below the rest",
  LINES,
  async ({ page, service }) => {
    const focused = page.locator(":focus");
    strictEqual(await focused.textContent(), "Counters");
    await page.getByRole("link", { name: "Badges" }).click();
    await page.getByRole("heading", { name: "Build a badge" }).waitFor();
    match(page.url(), /#badges/);
    strictEqual(await page.title(), "Badges · Tallymark");
    for (const [name, title] of [["Requests", "Recent requests"], ["Data", "Data"]] as const) {
      await page.getByRole("link", { name, exact: true }).click();
      const heading = page.getByRole("heading", { name: title, exact: true });
      await heading.waitFor();
      strictEqual(await focused.textContent(), title);
      await page.reload();
      await heading.waitFor();
    }
    await page.setViewportSize({ width: 1000, height: 400 });
    await page.goto("about:blank");
    await page.goto(`${service.url}/#counters`);
    await page.getByText("2 counters", { exact: true }).waitFor();
    strictEqual(await page.title(), "Counters · Tallymark");
    strictEqual(await page.evaluate("scrollY"), 0);
    // A link before everything else leads to the counters.
    await page.keyboard.press("Tab");
    strictEqual(await focused.textContent(), "Skip to the counters");
    await page.keyboard.press("Enter");
    strictEqual(await focused.getAttribute("aria-label"), "Counters");
    match(page.url(), /#counters$/);

    const earlier = createHmac("sha256", EARLIER).update("counter.2:blog/one").digest()
      .subarray(0, 16).toString("base64url");
    const reader = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0" };
    const id = "id=blog/one";
    const asks: [number, string, RequestInit][] = [
      [200, `hit?${id}`, { headers: authorized, method: "POST" }],
      [200, `hit?${id}&key=${earlier}`, { headers: reader }],
      [401, `hit.svg?${id}&key=wrong`, {}],
      [200, "hit?id=new", { headers: authorized, method: "POST" }],
      [401, "hit.svg?id=new&key=wrong", {}],
      [401, `hit.svg?id=${encodeURIComponent(HOSTILE)}&key=wrong`, {}],
      [400, `hit?${id}&${id}`, { headers: authorized }],
    ];
    for (const [status, path, how] of asks) {
      const answer = await fetch(`${service.url}/${path}`, how);
      strictEqual(answer.status, status);
      await answer.body?.cancel();
    }
    await openRow(page, "blog/one");
    await page.getByRole("heading", { name: "Key, version 2", exact: true }).waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.locator(".log tbody tr").first().waitFor();
    const lines = await page.locator(".log tbody tr").allInnerTexts();
    const told = lines.map((line) => line.split("\t").slice(1).join(" | ")).toSorted();
    deepStrictEqual(told, [
      "(no id) | no | malformed query or duplicate parameter",
      "blog/one | no | without the secret or the key of this counter",
      "blog/one | yes | ",
      "blog/one | yes | earlier key",
      "new | no | without the secret or the key of this counter",
      "new | yes | ",
      `${HOSTILE} | no | without the secret or the key of this counter`,
    ]);
    strictEqual(await page.locator(".log img").count(), 0);
    await page.setViewportSize({ width: 390, height: 800 });
    const broken = `[...document.querySelectorAll(".log td:first-child")].filter((time) => {
      const words = document.createRange();
      words.selectNodeContents(time);
      return words.getClientRects().length > 1;
    }).length`;
    strictEqual(await page.evaluate(broken), 0);

    await page.route("**/decisions", (route) => {
      const hit = { time: "2026-01-02T12:00:00Z", id: "a".repeat(60), outcome: "unauthorized" };
      return route.fulfill({ json: { decisions: [], rejected: [hit] } });
    });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText(/^Jan 2, 2026, \d{1,2}:\d\d [AP]M$/).waitFor();
    const [counted, reason] = ["no", "without the secret or the key of this counter"].map((name) =>
      page.getByRole("cell", { name, exact: true })
    );
    const [above, below] = [await counted?.boundingBox(), await reason?.boundingBox()];
    ok(above && below && below.y >= above.y + above.height);
    ok(below.height < 50 && below.x + below.width < 320, JSON.stringify(below));
  },
  { env: { SECRET_FALLBACKS: EARLIER, KEY_VERSIONS: "blog/one=2" } },
);

/** Makes the session one that ended a second ago, which the page does not know. */
async function end(page: Page): Promise<void> {
  const second = Math.floor(Date.now() / 1000) - 1;
  const code = createHmac("sha256", SECRET).update(`session:${second}`).digest("base64url");
  const kept = JSON.stringify({ token: `s1.${second}.${code}`, expires: "2999-01-01T00:00:00Z" });
  await page.evaluate(`sessionStorage.setItem("tallymark-session:/", ${JSON.stringify(kept)})`);
}

const SIGN_IN_LINK = /http:\/\/\S+#sign-in=\S+/;

/** Runs a command with a terminal for its standard output. */
function inTerminal(line: string[]): string[] {
  const quoted = line.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return ["script", "-qec", quoted.join(" "), "/dev/null"];
}
