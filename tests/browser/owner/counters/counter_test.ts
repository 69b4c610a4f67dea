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
import { assertAccessible } from "../../../support/web_page.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>`;
const LINES: CounterLine[] = [
  { id: "blog/one", hits: 10, days: { [dayAgo(0)]: 3, [dayAgo(399)]: 7 } },
  { id: "blog/two", hits: 300 },
  { id: HOSTILE, hits: 12_345 },
];

testOwner(
  "a counter opens in place, one at a time, with its chart, its days, its key, what to paste and a way to the builder",
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
    const { key } = await (await fetch(`${service.url}/key?id=blog/one`, { headers: authorized }))
      .json();
    await detail.getByRole("radio", { name: "Script" }).click();
    await detail.getByRole("button", { name: "Copy Script" }).click();
    await copied.waitFor();
    strictEqual(
      await page.evaluate("navigator.clipboard.readText()"),
      `<script async src="${service.url}/tally.js"></script>\n` +
        `<tally-mark counter="blog/one" key="${key}">–</tally-mark>`,
    );
    await page.getByRole("button", { name: "Copy Script" }).waitFor();
    await press(page, "Copy the id");
    await copied.waitFor();
    strictEqual(await page.evaluate("navigator.clipboard.readText()"), "blog/one");
    await page.getByRole("button", { name: "Copy the id" }).waitFor();
    // As on a page that came over http from another machine.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.getByRole("button", { name: "Copy the key" }).click();
    await copied.waitFor();

    await page.getByRole("link", { name: "Design a badge" }).click();
    await page.getByText("10 views so far.").waitFor();
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
    await assertAccessible(page);
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
    await assertAccessible(page);
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
