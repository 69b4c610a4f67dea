import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import {
  type CounterLine,
  countOf,
  dayAgo,
  hitThrice,
  idsOf,
  openRow,
  refreshed,
  savedLines,
  testOwner,
} from "../../../support/owner_page.ts";
import { authorized } from "../../../support/secret.ts";
import { waitFor } from "../../../support/wait_for.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const LINES: CounterLine[] = [
  { id: "blog/one", hits: 10, days: { [dayAgo(0)]: 3, [dayAgo(399)]: 7 } },
  { id: "blog/two", hits: 300 },
  { id: HOSTILE, hits: 12_345 },
];

testOwner(
  "a counter opens in place, one at a time, with its chart, its days, its key, what to paste, links that count and a way to the builder; a group copies the lines of all its counters, leads to what can be done to them, and offers the list alone where reads are protected",
  LINES,
  async ({ page, service }) => {
    const copied = page.getByRole("button", { name: "Copied", exact: true });
    await openRow(page, HOSTILE);
    await page.getByText(/!\[views\]\(.*\/hit\.svg\?id=%22%3E%3Cimg/).waitFor();
    await openRow(page, "blog/one");
    strictEqual(await page.locator(".detail").count(), 1);
    const detail = page.locator(".detail");
    await detail.getByText(/^Best day .*, 7$/).waitFor();
    await detail.getByText("Daily figures").click();
    strictEqual(await detail.locator(".daily tbody tr").count(), 30);
    const keyOf = async (query: string): Promise<string> =>
      (await (await fetch(`${service.url}/key?${query}`, { headers: authorized })).json()).key;
    const pasted = () => page.evaluate<string>("navigator.clipboard.readText()");
    const key = await keyOf("id=blog/one");
    await detail.getByRole("radio", { name: "Script" }).click();
    await detail.getByRole("button", { name: "Copy Script" }).click();
    await copied.waitFor();
    strictEqual(
      await pasted(),
      `<script async src="${service.url}/tally.js"></script>\n` +
        `<tally-mark counter="blog/one" key="${key}">–</tally-mark>`,
    );
    await page.getByRole("button", { name: "Copy Script" }).waitFor();
    await press(page, "Copy the id");
    await copied.waitFor();
    strictEqual(await pasted(), "blog/one");

    await detail.getByText("Count a link").click();
    const leadsTo = page.getByLabel("Address that the link leads to");
    await leadsTo.fill("ftp://example.com/");
    await leadsTo.press("Enter");
    await page.getByText("to must be an address with http or https").waitFor();
    await leadsTo.fill("https://example.com/a b?c=1&d");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("button", { name: "Copy the link" }).click();
    const begin = `${service.url}/go?id=blog/one&to=https%3A//example.com/`;
    const link = await waitFor("the link", async () => {
      const text = await pasted();
      return text.startsWith(begin) && text;
    });
    const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0" };
    const used = await fetch(link, { redirect: "manual", headers });
    await used.body?.cancel();
    strictEqual(used.headers.get("location"), "https://example.com/a%20b?c=1&d");
    strictEqual(await countOf(service, "blog/one"), "11");

    await page.getByLabel("Group by prefix").check();
    await page.getByRole("button", { name: "Details of blog/" }).click();
    const groupKey = await keyOf("prefix=blog/");
    const image = (id: string) => `${service.url}/hit.svg?id=${id}&key=${groupKey}`;
    const copies: Record<string, string> = {
      Markdown: `- blog/one ![views](${image("blog/one")})\n`,
      HTML: `<ul>\n  <li>blog/one <img alt="views" src="${
        image("blog/one").replace("&", "&amp;")
      }">`,
      CSV: `id,views,image\nblog/one,10,${image("blog/one")}\nblog/two,300,`,
    };
    for (const [format, begin] of Object.entries(copies)) {
      await page.getByRole("combobox", { name: "Format" }).selectOption(format);
      await page.getByRole("button", { name: /^(Copy all lines|Copied)$/ }).click();
      await waitFor(`lines in ${format}`, async () => (await pasted()).startsWith(begin));
    }
    await page.getByText("Reads are protected on this server, so").waitFor();
    const formats = page.locator(".detail .split > :last-child .segments label");
    deepStrictEqual(await formats.allInnerTexts(), ["List"]);
    strictEqual(await page.getByRole("link", { name: "Open badge" }).count(), 0);
    await page.getByRole("button", { name: "Rename, delete…" }).click();
    await page.getByText("2 counters, 310 views").waitFor();
    await page.getByRole("button", { name: "Delete these 2 counters…" }).press("Enter");
    await page.getByText("Delete 2 counters with 310 views?").waitFor();
    await page.keyboard.press("Escape");
    await openRow(page, "blog/one");
    // As on a page that came over http from another machine.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.getByRole("button", { name: "Copy the key" }).click();
    await copied.waitFor();

    await page.getByRole("link", { name: "Design a badge" }).click();
    await page.getByText("11 views so far.").waitFor();
    strictEqual(await page.getByLabel("Counter", { exact: true }).inputValue(), "blog/one");
    strictEqual(await page.locator(":focus").innerText(), "Build a badge");
    strictEqual(await page.evaluate("scrollY"), 0);
    await page.goBack();
    await page.getByRole("heading", { name: "blog/one" }).waitFor();
    await openRow(page, "blog/one");
    strictEqual(await page.locator(".detail").count(), 0);
  },
);

testOwner(
  "the owner sets a counter, deletes one, undoes both without losing a view, and redoes them; one that a proxy refuses for its size can be saved or tried again",
  LINES,
  async ({ page, service }) => {
    await openRow(page, "blog/one");
    await press(page, "Set the total…");
    await page.getByLabel("Total", { exact: true }).fill("77");
    await page.getByText("Past days stay as they are.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Set blog/one to 77 views. It had 10.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "77");
    await hitThrice(service, "blog/one");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restored blog/one.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "13");
    await page.getByRole("button", { name: "Redo" }).press("Enter");
    await page.getByText("Set blog/one to 77 views. It had 13.").waitFor();
    strictEqual(await countOf(service, "blog/one"), "77");

    await openRow(page, HOSTILE);
    await press(page, "Rename, delete…");
    await page.getByText(`${HOSTILE}, 12,345 views`).waitFor();
    strictEqual(await page.locator(":focus").textContent(), "Rename…");
    await press(page, "Delete…");
    await page.getByText(`Delete ${HOSTILE} with 12,345 views?`).waitFor();
    strictEqual(await page.locator(":focus").textContent(), "Cancel");
    await page.getByRole("button", { name: "Cancel" }).click();
    strictEqual(await countOf(service, HOSTILE), "12345");
    await press(page, "Delete…");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(`Deleted ${HOSTILE}: 12,345 views.`).waitFor();
    strictEqual(await countOf(service, HOSTILE), "0");
    await hitThrice(service, HOSTILE);
    const undo = page.getByRole("button", { name: "Undo" });
    ok(await undo.evaluate((button) => button.ownerDocument.activeElement === button));
    await undo.click();
    await page.getByText(`Restored ${HOSTILE}.`).waitFor();
    strictEqual(await countOf(service, HOSTILE), "12348");
    const redo = page.getByRole("button", { name: "Redo" });
    ok(await redo.evaluate((button) => button.ownerDocument.activeElement === button));
    const refuse = (route: Route) => route.fulfill({ status: 413, body: "<html>413</html>" });
    await page.route(/counters\?id=/, refuse);
    await redo.click();
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.unroute(/counters\?id=/);
    await again.dblclick();
    await page.getByText(`Deleted ${HOSTILE}: 12,348 views.`).waitFor();
    strictEqual(await countOf(service, HOSTILE), "0");
    await undo.click();
    await page.getByText(`Restored ${HOSTILE}.`).waitFor();
    await refreshed(page);
    ok((await idsOf(page)).includes(HOSTILE));

    await openRow(page, "blog/two");
    await press(page, "Rename, delete…");
    await press(page, "Delete…");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted blog/two: 300 views.").waitFor();
    await page.route(/mode=add/, refuse);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(
      "Restored 0 of 1 counter. A proxy in front of the server returned 413 (too large).",
    )
      .waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save the rest as a file" }).click();
    const download = await downloading;
    strictEqual(download.suggestedFilename(), "blog-two.ndjson");
    deepStrictEqual(await savedLines(download), [{ ...LINES[1], days: {} }, { counters: 1 }]);
    await page.unroute(/mode=add/);
    await again.click();
    await page.getByText("Restored blog/two.").waitFor();
    strictEqual(await countOf(service, "blog/two"), "300");
  },
);

/** Presses a button by the keyboard. Parts that appear above the button may move it. */
function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).press("Enter");
}
