import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { needsChromium, sharedChromium } from "../../../support/chromium.ts";
import {
  type CounterLine,
  countOf,
  idsOf,
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

testPage("the page says that a secret is wrong, and keeps neither it nor a right one", {
  env: CLOSED,
}, async ({ page }) => {
  await signIn(page, "wrong");
  await page.getByText("That is not the secret of this server.").waitFor();
  strictEqual(await page.getByLabel("Secret").getAttribute("aria-invalid"), "true");
  strictEqual(await page.evaluate("getSelection().toString().length || secret.selectionEnd"), 5);
  await assertAccessible(page);
  await signIn(page, SECRET);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  const kept: string = await page.evaluate(
    "JSON.stringify([sessionStorage, localStorage, document.cookie, location.href])",
  );
  ok(kept.includes("s1."));
  ok(!kept.includes(SECRET));
  strictEqual(await page.getByLabel("Secret").inputValue(), "");
  await page.reload();
  await page.getByText("No counters yet").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Build a badge" }).waitFor();
  strictEqual(await page.evaluate("sessionStorage.length"), 0);
});

testPage("the page says why there are no sessions where the secret is short", {
  env: { SECRET_TOKEN: "short" },
}, async ({ page }) => {
  await signIn(page, "short");
  await page.getByText(/Sessions are off/).waitFor();
});

testPage(
  "a sign-in link opens the counters, and is out of the address before it is used; one that opens nothing asks for the secret",
  { env: CLOSED },
  async ({ page, service }) => {
    for (const token of ["used", "%", "%E0%A4%A"]) {
      await page.goto("about:blank");
      await page.goto(`${service.url}/#sign-in=${token}`);
      await page.getByText("This sign-in link was already used or has expired.").waitFor();
      doesNotMatch(page.url(), /sign-in/);
    }
    await signIn(page, SECRET);
    await page.getByText("No counters yet").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Build a badge" }).waitFor();

    const addresses: string[] = [];
    await page.route("**/session", async (route) => {
      addresses.push(page.url());
      await route.continue();
    });
    await page.goto("about:blank");
    await page.goto(`${service.url}/#sign-in=${SECRET}`);
    await page.getByText("No counters yet").waitFor();
    deepStrictEqual(addresses, [`${service.url}/#counters`]);
    strictEqual(page.url(), `${service.url}/#counters`);
    const kept = await page.evaluate<string>("JSON.stringify([sessionStorage, history.state])");
    ok(!kept.includes(SECRET));
  },
);

Deno.test(
  "the link that a first start shows in its terminal signs in, once",
  needsChromium,
  async () => {
    await using service = await startService({ wrap: inTerminal, ready: SIGN_IN_LINK });
    const link = service.url;
    await using first = await openPage(sharedChromium(), link);
    await first.page.getByText("No counters yet").waitFor();
    match(first.page.url(), /\/#counters$/);
    await first.page.reload();
    await first.page.getByText("No counters yet").waitFor();
    await using second = await openPage(sharedChromium(), link);
    await second.page.getByText("This sign-in link was already used or has expired.")
      .waitFor();
    await signIn(
      second.page,
      (await Deno.readTextFile(join(service.cwd, "data", "secret"))).trim(),
    );
    await second.page.getByText("No counters yet").waitFor();
    deepStrictEqual([...first.complaints, ...second.complaints], []);
  },
);

testOwner(
  "each view has an address that a reload keeps, opens at its top, and moves the focus to its heading",
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
  },
);

testOwner(
  "a session that has ended asks for the secret above a hidden page, and does what was asked; signing out leaves nothing",
  LINES,
  async ({ page, service }) => {
    const ended = page.getByRole("heading", { name: "The session has ended" });
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
    await assertAccessible(page);
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
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Build a badge" }).waitFor();
    ok(!/blog\/(?:one|two)|>4,331<|key=[\w-]{22}/.test(await page.content()));
    strictEqual(await page.getByLabel("Text to import").count(), 0);
  },
);

testOwner(
  "the owner sees which requests counted, which id and key each had, and why others did not count",
  LINES,
  async ({ page, service }) => {
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
    await assertAccessible(page);
    await page.setViewportSize({ width: 390, height: 800 });
    const broken = `[...document.querySelectorAll(".log td:first-child")].filter((time) => {
      const words = document.createRange();
      words.selectNodeContents(time);
      return words.getClientRects().length > 1;
    }).length`;
    strictEqual(await page.evaluate(broken), 0);
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
