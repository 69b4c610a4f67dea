import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  type CounterLine,
  countOf,
  dayAgo,
  idsOf,
  openRow,
  testOwner,
} from "../../../support/owner_page.ts";
import { authorized } from "../../../support/secret.ts";
import { waitFor } from "../../../support/wait_for.ts";
import { assertAccessible } from "../../../support/web_page.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const LINES: CounterLine[] = [
  { id: "blog/one", hits: 10, days: { [dayAgo(0)]: 3, [dayAgo(399)]: 7 } },
  { id: "blog/two", hits: 300 },
  { id: HOSTILE, hits: 12_345 },
];

testOwner(
  "a counter opens in place, one at a time, with its chart, its days, its key and what to paste",
  LINES,
  async ({ page, service }) => {
    await openRow(page, HOSTILE);
    await page.getByText(/!\[views\]\(.*\/hit\.svg\?id=%22%3E%3Cimg/).waitFor();
    await assertAccessible(page);
    await openRow(page, "blog/one");
    strictEqual(await page.locator(".detail").count(), 1);
    const detail = page.locator(".detail");
    await detail.getByText(/^Best day .*, 7$/).waitFor();
    await detail.getByText("Daily figures").click();
    await detail.locator(".daily td[title]").nth(29).waitFor();
    strictEqual(await detail.locator(".daily td[title]").count(), 30);
    const { key } = await (await fetch(`${service.url}/key?id=blog/one`, { headers: authorized }))
      .json();
    await detail.getByRole("radio", { name: "Script" }).click();
    await detail.getByRole("button", { name: "Copy Script" }).click();
    await detail.getByText("Copied").waitFor();
    strictEqual(
      await page.evaluate("navigator.clipboard.readText()"),
      `<script async src="${service.url}/tally.js"></script>\n` +
        `<tally-mark counter="blog/one" key="${key}">–</tally-mark>`,
    );
    await openRow(page, "blog/one");
    strictEqual(await page.locator(".detail").count(), 0);
  },
);

testOwner(
  "of days that tie for the most views the first is the best, in the facts and on the chart",
  [{
    id: "tied",
    hits: 21,
    days: { [dayAgo(1)]: 1, [dayAgo(2)]: 1, [dayAgo(3)]: 9, [dayAgo(4)]: 1, [dayAgo(12)]: 9 },
  }],
  async ({ page }) => {
    await openRow(page, "tied");
    const first = new Date(dayAgo(12));
    const dateText = (year?: "numeric") =>
      first.toLocaleDateString("en-US", {
        timeZone: "UTC",
        month: "short",
        day: "numeric",
        ...(year && { year }),
      });
    const detail = page.locator(".detail");
    await detail.getByText(`Best day ${dateText("numeric")}, 9`).waitFor();
    match(await detail.locator(".plot svg").getAttribute("aria-label") ?? "", /with 9$/);
    strictEqual(await detail.locator(".peak").textContent(), `9 · ${dateText()}`);
  },
);

testOwner("a counter leads to the builder", LINES, async ({ page }) => {
  await openRow(page, "blog/one");
  await page.getByRole("link", { name: "Design a badge" }).click();
  await page.getByText("10 views so far.").waitFor();
  strictEqual(await page.getByLabel("Counter", { exact: true }).inputValue(), "blog/one");
  strictEqual(await page.locator(":focus").innerText(), "Build a badge");
  strictEqual(await page.evaluate("scrollY"), 0);
  await page.goBack();
  await page.getByRole("heading", { name: "blog/one" }).waitFor();
});

testOwner(
  "the owner sets a counter, deletes one, undoes both without losing a view, and does it again",
  LINES,
  async ({ page, service }) => {
    await openRow(page, "blog/one");
    await choose(page, "blog/one", "Set the total…");
    await page.getByLabel("Total", { exact: true }).fill("77");
    await page.getByText("Past days stay as they are.").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Set blog/one to 77 views. It had 10.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "77");
    await hitThrice(service, "blog/one");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restored blog/one.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "13");

    await openRow(page, HOSTILE);
    await choose(page, HOSTILE, "Delete counter…");
    await page.getByText(`Delete ${HOSTILE}, its 12,345 views?`).waitFor();
    strictEqual(await page.locator(":focus").textContent(), "Cancel");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    strictEqual(await countOf(service, HOSTILE), "12345");
    await choose(page, HOSTILE, "Delete counter…");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(`Deleted ${HOSTILE}: 12,345 views.`).waitFor();
    strictEqual(await countOf(service, HOSTILE), "0");
    await hitThrice(service, HOSTILE);
    await assertAccessible(page);
    const undo = page.getByRole("button", { name: "Undo" });
    ok(await undo.evaluate((button) => button.ownerDocument.activeElement === button));
    await undo.click();
    await page.getByText(`Restored ${HOSTILE}.`).waitFor();
    strictEqual(await countOf(service, HOSTILE), "12348");
    await page.getByRole("button", { name: "Redo" }).click();
    await page.getByText(`Deleted ${HOSTILE}: 12,348 views`).waitFor();
    await page.getByText("2 counters", { exact: true }).waitFor();
    ok(!(await idsOf(page)).includes(HOSTILE));
  },
);

testOwner(
  "an undo that a proxy refuses for its size leaves the counter on the page, to save or try again",
  LINES,
  async ({ page, service }) => {
    await openRow(page, "blog/one");
    await choose(page, "blog/one", "Delete counter…");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted blog/one: 10 views, 2 days.").waitFor();
    await page.route(
      /\/counters\?mode=add/,
      (route) => route.fulfill({ status: 413, body: "<html>413</html>" }),
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(
      "blog/one was not restored. A proxy in front of the server rejected the request as too large (413).",
    ).waitFor();
    await assertAccessible(page);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save it as a file" }).click();
    const download = await downloading;
    strictEqual(download.suggestedFilename(), "blog-one.ndjson");
    deepStrictEqual(JSON.parse(await Deno.readTextFile(await download.path())), LINES[0]);
    await page.unroute(/\/counters\?mode=add/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Restored blog/one.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "10");
  },
);

testOwner(
  "the owner renames a counter, merges it and moves a group, and an undo keeps what was counted since",
  [
    { id: "blog/a", hits: 1204, days: { [dayAgo(0)]: 4, [dayAgo(1)]: 200 } },
    { id: "blog/b", hits: 310, days: { [dayAgo(1)]: 10 } },
    { id: "new/b", hits: 5 },
    { id: "end/", hits: 1 },
  ],
  async ({ page, service }) => {
    const dialog = page.getByRole("dialog");
    const undo = async (name: string) => {
      ok(
        await page.getByRole("button", { name: "Undo" }).evaluate((button) =>
          button.matches(":focus")
        ),
      );
      await page.keyboard.press("Enter");
      await page.getByText(`Restored ${name}.`).waitFor();
      // The counters are loaded again, which draws the open row again.
      await page.locator("[aria-label=Refresh]:not([aria-busy])").waitFor();
    };
    const counts = (...ids: string[]) => Promise.all(ids.map((id) => countOf(service, id)));

    await page.getByLabel("Group by prefix").uncheck();
    await openRow(page, "blog/a");
    await choose(page, "blog/a", "Rename…");
    await dialog.getByText("Badges with the old id need the new one and its key.").waitFor();
    strictEqual(await page.getByLabel("New id").inputValue(), "blog/a");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("Send two different ids").waitFor();
    await page.keyboard.type("blog/c");
    await dialog.getByText("blog/a (1,204 views) becomes blog/c.").waitFor();
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByText("Moved blog/a to blog/c: 1,204 views, 2 days.").waitFor();
    deepStrictEqual(await counts("blog/a", "blog/c"), ["0", "1204"]);
    await Promise.all([hitThrice(service, "blog/a"), hitThrice(service, "blog/c")]);
    await undo("blog/a");
    deepStrictEqual(await counts("blog/a", "blog/c"), ["1207", "3"]);

    await choose(page, "blog/a", "Rename…");
    await page.keyboard.type("blog/b");
    await dialog.getByText("1,207 views of blog/a are added to the 310 of blog/b: 1,517.")
      .waitFor();
    await page.keyboard.press("Tab");
    strictEqual(await page.locator(":focus").innerText(), "Merge");
    await page.keyboard.press("Enter");
    await page.getByText("Moved blog/a to blog/b: 1,207 views, 2 days.").waitFor();
    await hitThrice(service, "blog/b");
    await undo("blog/a");
    deepStrictEqual(await counts("blog/a", "blog/b"), ["1207", "313"]);
    const text = await fetch(`${service.url}/counters?id=blog/b`, { headers: authorized });
    deepStrictEqual(JSON.parse((await text.text()).split("\n")[0] ?? "").days, {
      [dayAgo(0)]: 3,
      [dayAgo(1)]: 10,
    });

    await page.getByLabel("Group by prefix").check();
    await page.getByRole("button", { name: "Details of blog/" }).click();
    await page.getByRole("button", { name: "Rename…" }).click();
    await page.getByLabel("New prefix").fill("new/");
    await dialog.getByText("3 counters move to new/, 1 of which exists already.").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Enter");
    await page.getByText("Moved blog/ to new/: 3 counters, 1,523 views.").waitFor();
    await Promise.all([hitThrice(service, "new/b"), hitThrice(service, "blog/b")]);
    await undo("blog/");
    deepStrictEqual(await counts("blog/a", "blog/b", "new/a", "new/b"), ["1207", "316", "0", "8"]);
  },
  { viewport: { width: 390, height: 1200 } },
);

testOwner(
  "the history of a counter is saved as the line that an import takes",
  LINES,
  async ({ page }) => {
    await openRow(page, "blog/one");
    const downloading = page.waitForEvent("download");
    await choose(page, "blog/one", "Download history");
    const text = await Deno.readTextFile(await (await downloading).path());
    deepStrictEqual(JSON.parse(text), LINES[0]);
  },
);

testOwner(
  "the id of a counter is copied, also where a page has no clipboard",
  LINES,
  async ({ page }) => {
    await openRow(page, "blog/one");
    await choose(page, "blog/one", "Copy the id");
    await page.getByText("Copied", { exact: true }).waitFor();
    strictEqual(await page.evaluate("navigator.clipboard.readText()"), "blog/one");
    // As on a page that came over http from another machine.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.getByRole("button", { name: "Copy the key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
  },
);

testOwner("an owner whose reads are open opens the badge from its row", LINES, async ({ page }) => {
  await openRow(page, "blog/two");
  match(
    await page.getByRole("link", { name: "Open badge" }).getAttribute("href") ?? "",
    /^badge\?id=blog\/two$/,
  );
}, { env: { PUBLIC_READS: "1" } });

/** Chooses from the menu of an opened row. */
async function choose(
  page: import("playwright-core").Page,
  id: string,
  item: string,
): Promise<void> {
  const choice = page.getByRole("button", { name: item });
  // The pasted text appears above the button and may move it away from under a click.
  await waitFor("the menu", async () => {
    if (!await choice.isVisible()) {
      await page.getByRole("button", { name: `More for ${id}` }).click();
    }
    return await choice.isVisible() || undefined;
  });
  await choice.click();
}

async function hitThrice({ url }: { url: string }, id: string): Promise<void> {
  for (let time = 0; time < 3; time++) {
    const hit = `${url}/hit?id=${encodeURIComponent(id)}`;
    await (await fetch(hit, { method: "POST", headers: authorized })).body?.cancel();
  }
}
