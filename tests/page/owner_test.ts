import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import type { Service } from "../support/service.ts";
import { authorized, SECRET } from "../support/secret.ts";
import { assertAccessible, type PageTest, testPage } from "../support/web_page.ts";

const env = { SECRET_TOKEN: SECRET, STORE_URL: "memory:" };
const HOSTILE = `"><img src=x onerror=alert(1)>`;
const LINES = [
  { id: "blog/one", hits: 10 },
  { id: "blog/two", hits: 300 },
  { id: "javascript:alert(1)", hits: 2 },
  { id: HOSTILE, hits: 12_345 },
];

testOwner(
  "the owner's table lists, sorts, searches and sums up counters, whatever their ids hold",
  LINES,
  async ({ page }) => {
    await page.getByRole("button", { name: "Total" }).click();
    deepStrictEqual(await ids(page), [HOSTILE, "blog/two", "blog/one", "javascript:alert(1)"]);
    await page.getByRole("button", { name: "Counter" }).click();
    deepStrictEqual(await ids(page), [HOSTILE, "blog/one", "blog/two", "javascript:alert(1)"]);
    match(await page.locator("tfoot").innerText(), /4 counters\s+0\s+0\s+0\s+12,657/);
    await page.getByLabel("Search").fill("BLOG");
    await page.getByText("2 counters", { exact: true }).waitFor();
    deepStrictEqual(await ids(page), ["blog/one", "blog/two"]);
    strictEqual(await page.locator("table img, table a, table script").count(), 0);
    await assertAccessible(page);
  },
);

testOwner("the owner's table loads the counters of a prefix alone", LINES, async ({ page }) => {
  await page.getByLabel("Load ids that begin with").fill("blog/");
  await page.getByRole("button", { name: "Load" }).click();
  await page.locator("tfoot").getByText("2 counters").waitFor();
  strictEqual((await ids(page)).length, 2);
});

const MANY = Array.from({ length: 10_000 }, (_, index) => ({ id: `c${index}`, hits: index }));

testOwner(
  "the owner's table draws the rows that can be seen, of 10,000",
  MANY,
  async ({ page }) => {
    await page.locator("tfoot").getByText("10,000 counters").waitFor();
    await page.getByRole("button", { name: "Total" }).click();
    ok(await page.locator("tbody tr").count() < 100);
    await page.locator(".view").evaluate((view) => view.scrollTo(0, view.scrollHeight));
    await page.getByRole("button", { name: "c0", exact: true }).waitFor();
    ok(await page.locator("tbody tr").count() < 100);
  },
);

testOwner(
  "a counter opens in place, one at a time, with its chart, its days, its key and what to paste",
  LINES,
  async ({ page }) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await open(page, HOSTILE);
    const chart = page.locator(".detail img[src^='blob:']");
    await chart.waitFor();
    // Its words have to be read on a panel, where those for any ground are too pale.
    ok(asked.some((url) => /chart\.svg\?.*&theme=auto/.test(url)));
    await page.getByText(/!\[views\]\(.*\/hit\.svg\?id=%22%3E%3Cimg/).waitFor();
    await assertAccessible(page);
    await open(page, "blog/one");
    strictEqual(await page.locator(".detail").count(), 1);
    await page.locator(".detail summary").click();
    strictEqual(await page.locator(".detail table tr").count(), 30);
    await open(page, "blog/one");
    strictEqual(await page.locator(".detail").count(), 0);
  },
);

testOwner(
  "the owner sets a counter, deletes one by its id, and undoes both",
  LINES,
  async ({ page, service }) => {
    await open(page, "blog/one");
    await page.getByLabel("Number", { exact: true }).fill("77");
    await page.getByRole("button", { name: "Set" }).click();
    await page.getByText("Set blog/one, which held 10.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "77");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Set blog/one, which held 77.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "10");

    await open(page, HOSTILE);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Type the id of the counter to delete it.").waitFor();
    strictEqual(await countOf(service, HOSTILE), "12345");
    await page.getByLabel("Type the id to delete it").fill(HOSTILE);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText(`Deleted ${HOSTILE}, which held 12,345.`).waitFor();
    strictEqual(await countOf(service, HOSTILE), "0");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`Set ${HOSTILE}, which held 0.`).waitFor();
    strictEqual(await countOf(service, HOSTILE), "12345");
  },
);

testOwner(
  "the owner imports lines as people keep them, and sees before what would change",
  LINES,
  async ({ page, service }) => {
    await page.getByText("Import and export").click();
    await page.getByLabel("Lines to import").fill(
      'id,hits\n41 https://github.com/user/repo\nblog/one,10\n"quoted, id",7\n12,345 thousands\n1.234.567 millions\nlast 12,345\n{"id":"own","hits":5}\n',
    );
    await page.getByRole("button", { name: "Show what would change" }).click();
    await page.getByText("7 counters, 6 would change.").waitFor();
    await page.getByText("https://github.com/user/repo: 0 → 41").waitFor();
    strictEqual(await countOf(service, "own"), "0");
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("Imported 7 counters.").waitFor();
    strictEqual(await countOf(service, "https://github.com/user/repo"), "41");
    strictEqual(await countOf(service, "quoted, id"), "7");
    strictEqual(await countOf(service, "thousands"), "12345");
    strictEqual(await countOf(service, "millions"), "1234567");
    strictEqual(await countOf(service, "last"), "12345");
    await page.getByLabel("Lines to import").fill("a,1\nnothing of a number\n");
    await page.getByRole("button", { name: "Show what would change" }).click();
    await page.getByText("Line 2 is not an id with a number: nothing of a number").waitFor();
    await assertAccessible(page);
  },
);

testOwner("the owner's tools fit on a page of 320 px", LINES, async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await open(page, "blog/one");
  for (const summary of await page.locator("#owner > details > summary").all()) {
    await summary.click();
  }
  await page.getByLabel("A file to import").waitFor();
  strictEqual(await page.evaluate("document.documentElement.scrollWidth"), 320);
});

testOwner("the owner exports a file that holds every counter", LINES, async ({ page }) => {
  await page.getByText("Import and export").click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export everything" }).click();
  const download = await downloading;
  strictEqual(download.suggestedFilename(), "counters.ndjson");
  const text = await Deno.readTextFile(await download.path());
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  deepStrictEqual(lines.at(-1), { counters: 4 });
  deepStrictEqual(lines.slice(0, -1).map(({ id }) => id).sort(), LINES.map(({ id }) => id).sort());
});

testOwner(
  "the owner sees in plain words why a hit was not counted",
  LINES,
  async ({ page, service }) => {
    const id = "id=blog/one";
    const badKey = { ...authorized, "idempotency-key": "" };
    for (
      const [status, path, how] of [
        [401, `hit.svg?${id}&key=wrong`, {}],
        [400, `hit?${id}&${id}`, { headers: authorized }],
        [400, `hit?${id}`, { headers: authorized, method: "POST", body: "{}" }],
        [400, `hit?${id}`, { headers: badKey }],
        [405, `hit?${id}`, { method: "PUT" }],
      ] as const
    ) {
      const refused = await fetch(`${service.url}/${path}`, how);
      strictEqual(refused.status, status);
      await refused.body?.cancel();
    }
    await page.getByText("Why doesn’t it count?").click();
    await page.getByText("blog/one: refused: no secret and no key of this counter").waitFor();
    const told = await page.locator("details[open] li").allInnerTexts();
    deepStrictEqual(told.map((line) => /: (refused): ./.exec(line)?.[1]), Array(5).fill("refused"));
  },
);

testOwner(
  "signing out leaves nothing of the owner's in the document, and the token was never in it",
  LINES,
  async ({ page }) => {
    await open(page, "blog/one");
    await page.locator(".detail img[src^='blob:']").waitFor();
    const token: string = await page.evaluate(
      "JSON.parse(sessionStorage.getItem('tallymark-session')).token",
    );
    ok(!(await page.content()).includes(token));
    await page.getByText("Why doesn’t it count?").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Secret token").waitFor();
    const content = await page.content();
    for (const { id } of LINES) ok(!content.includes(id.replaceAll("<", "&lt;")), id);
    doesNotMatch(content, /12,657|key=[\w-]{22}/);
  },
);

testOwner(
  "a session that has ended leads back to the secret, and says why",
  LINES,
  async ({ page }) => {
    const end = Math.floor(Date.now() / 1000) - 1;
    const code = createHmac("sha256", SECRET).update(`session:${end}`).digest("base64url");
    const kept = JSON.stringify({ token: `s1.${end}.${code}`, expires: "2999-01-01T00:00:00Z" });
    await page.evaluate(`sessionStorage.setItem("tallymark-session", ${JSON.stringify(kept)})`);
    await page.getByRole("button", { name: "Load" }).click();
    await page.getByText("The session has ended: sign in again.").waitFor();
    ok(await page.getByLabel("Secret token").isVisible());
  },
);

testOwner(
  "the page says that the service went away, and goes on once it is back",
  LINES,
  async ({ page }) => {
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Load" }).click();
    await page.getByText("The service cannot be reached.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Load" }).click();
    await page.locator("tfoot").getByText("4 counters").waitFor();
  },
);

/** Tests the page of a service that holds these counters, signed in. */
function testOwner(
  name: string,
  lines: readonly { id: string; hits: number }[],
  test: (at: PageTest) => Promise<void>,
): void {
  async function prepare({ url }: Service): Promise<void> {
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const answer = await fetch(`${url}/counters`, { method: "POST", headers: authorized, body });
    deepStrictEqual(await answer.json(), { counters: lines.length });
  }
  testPage(name, { env, prepare }, async (at) => {
    await signIn(at.page);
    await test(at);
  });
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Secret token").fill(SECRET);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("tbody th").first().waitFor();
}

async function open(page: Page, id: string): Promise<void> {
  await page.getByRole("button", { name: id, exact: true }).click();
}

/** The ids in the table, from top to bottom. */
function ids(page: Page): Promise<string[]> {
  return page.locator("tbody th").allInnerTexts();
}

async function countOf({ url }: Service, id: string): Promise<string> {
  const query = new URLSearchParams({ id });
  const answer = await fetch(`${url}/count.txt?${query}`, { headers: authorized });
  return await answer.text();
}
