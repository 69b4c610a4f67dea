import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
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
  "by keyboard the owner renames a counter, merges two and moves a group, an undo keeps what was counted since, and the focus goes down a zoomed page, where nothing covers what has it",
  [
    { id: "blog/a", hits: 1204, days: { [dayAgo(0)]: 4, [dayAgo(1)]: 200 } },
    { id: "blog/b", hits: 310, days: { [dayAgo(1)]: 10 } },
    { id: "blog/", hits: 9 },
    { id: "new/b", hits: 5 },
  ],
  async ({ page, service }) => {
    const { keyboard } = page;
    const dialog = page.getByRole("dialog");
    const bar = page.getByRole("group", { name: "Selected counters" });
    const counts = (...ids: string[]) => Promise.all(ids.map((id) => countOf(service, id)));
    const focused = () => page.locator(":focus").innerText();
    const undo = async (name: string) => {
      strictEqual(await focused(), "Undo");
      await keyboard.press("Enter");
      await page.getByText(`Restored ${name}.`).waitFor();
      await refreshed(page);
    };

    await page.getByLabel("Group by prefix").uncheck();
    await openRow(page, "blog/");
    await page.getByRole("button", { name: "Rename, delete…" }).press("Enter");
    strictEqual(await focused(), "Rename…");
    await keyboard.press("Enter");
    await dialog.getByText("Badges with an old id need the new one and its key.").waitFor();
    strictEqual(await page.getByLabel("New id").inputValue(), "blog/");
    await keyboard.press("Enter");
    ok(await page.getByLabel("New id").evaluate((field) => field.matches(":invalid")));
    // Its id ends in a slash, as that of the group does, and it moves alone.
    await keyboard.type("blog/c/");
    await dialog.getByText("9 views will be at blog/c/.").waitFor();
    strictEqual(await dialog.locator(".primary").innerText(), "Rename");
    await keyboard.press("Enter");
    await page.getByText("Moved blog/ to blog/c/: 9 views.").waitFor();
    deepStrictEqual(await counts("blog/", "blog/c/", "blog/a"), ["0", "9", "1204"]);
    await hitThrice(service, "blog/");
    await undo("blog/");
    await page.getByText("4 counters", { exact: true }).waitFor();
    deepStrictEqual(await counts("blog/"), ["12"]);
    await openRow(page, "blog/");

    await page.getByRole("button", { name: "Select", exact: true }).press("Enter");
    await page.getByLabel("Select blog/a", { exact: true }).press("Space");
    await page.getByLabel("Select blog/b", { exact: true }).press("Space");
    await bar.getByText("2 counters, 1,514 views").waitFor();
    // The counters are loaded again each minute.
    await page.evaluate("document.querySelector('[aria-label=Refresh]').click()");
    await page.locator("[aria-label=Refresh]:not([aria-busy])").waitFor();
    strictEqual(await page.locator(":focus").getAttribute("aria-label"), "Select blog/b");
    await keyboard.press("Enter");
    await keyboard.press("Tab");
    strictEqual(await focused(), "Merge…");
    await keyboard.press("Enter");
    strictEqual(await page.getByLabel("New id").inputValue(), "blog/a");
    await dialog.getByText("310 views will be at blog/a, with the 1,204 there: 1,514.").waitFor();
    await keyboard.press("Tab");
    strictEqual(await focused(), "Merge");
    await keyboard.press("Enter");
    await page.getByText("Moved blog/b to blog/a: 310 views.").waitFor();
    await hitThrice(service, "blog/a");
    await undo("blog/b");
    await keyboard.press("Enter");
    await page.getByText("Moved blog/b to blog/a: 310 views.").waitFor();
    deepStrictEqual(await counts("blog/a", "blog/b"), ["1517", "0"]);
    await undo("blog/b");
    deepStrictEqual(await counts("blog/a", "blog/b"), ["1207", "310"]);
    const text = await fetch(`${service.url}/counters?id=blog/a`, { headers: authorized });
    deepStrictEqual((await text.json()).days, { [dayAgo(0)]: 7, [dayAgo(1)]: 200 });

    await page.getByLabel("Group by prefix").check();
    const group = page.getByRole("row", { name: "Details of blog/" }).getByRole("checkbox");
    ok(await group.evaluate((box) => box.matches(":indeterminate")));
    await group.press("Space");
    await bar.getByText("3 counters, 1,529 views").waitFor();
    await keyboard.press("Enter");
    await keyboard.press("Enter");
    await page.getByLabel("New prefix").fill("new/");
    await dialog.getByText("1,529 views will be at new/, with the 5 there: 1,534.").waitFor();
    const type = () => page.getByLabel("New prefix").fill("later/");
    await page.route(/counters\/move/, (route) => type().then(() => route.continue()));
    await keyboard.press("Enter");
    await page.getByText("Moved 3 counters to new/: 1,529 views.").waitFor();
    await Promise.all([hitThrice(service, "new/b"), hitThrice(service, "blog/b")]);
    await undo("3 counters");
    deepStrictEqual(await counts("blog/a", "blog/b", "new/b"), ["1207", "313", "8"]);
    strictEqual((await idsOf(page)).includes("new/a"), false);
    await page.getByRole("button", { name: "Done" }).press("Enter");
    strictEqual(await page.locator(".tick:visible").count(), 0);

    await page.setViewportSize({ width: 390, height: 640 });
    await page.getByRole("button", { name: "Close" }).press("Enter");
    await page.getByRole("button", { name: "Select", exact: true }).press("Enter");
    await page.getByLabel("Select blog/b", { exact: true }).press("Space");
    await page.getByRole("link", { name: "Tallymark" }).focus();
    let last = 0;
    let way = "";
    while (!way.endsWith("> blog/b")) {
      const { name, top, bottom, isSeen, isInBar } = await page.evaluate<Focused>(AT_FOCUS);
      way += ` > ${name}`;
      ok(isSeen && (isInBar || bottom > last), way);
      if (!isInBar) last = top;
      await keyboard.press("Tab");
    }
    match(way, /Sign out > .* > Select all > .* > Select blog\/a > blog\/a > /);
  },
  { viewport: { width: 390, height: 1200 } },
);

testOwner(
  "the owner selects what the search finds of 111 counters, saves it, deletes it, and ends an undo that was refused in part",
  Array.from({ length: 111 }, (_, at) => ({
    id: at < 101 ? `x/1${at}` : at < 106 ? `x/2${at}` : `y${at}`,
    hits: 2,
  })),
  async ({ page, service }) => {
    const bar = page.getByRole("group", { name: "Selected counters" });
    const all = page.getByLabel("Select all");
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await page.getByLabel("Search").fill("x/1");
    await page.getByText("101 of 111 counters", { exact: true }).waitFor();
    await all.check();
    await bar.getByText("101 counters, 202 views").waitFor();
    await page.getByLabel("Search").fill("");
    await page.getByText("111 counters", { exact: true }).waitFor();
    ok(await all.evaluate((box) => box.matches(":indeterminate")));

    const saving = page.waitForEvent("download");
    await bar.getByRole("button", { name: "Download" }).click();
    const lines = await savedLines(await saving);
    deepStrictEqual([lines.length, lines.at(-1)], [102, { counters: 101 }]);
    await bar.getByRole("button", { name: "Delete…" }).click();
    await page.getByText("Delete 101 counters with 202 views?").waitFor();
    // A route would stop each of the requests.
    await page.evaluate(() => {
      const { fetch } = globalThis;
      const isHeldUp = new Promise((end) => addEventListener("go", end, { once: true }));
      let isRefused = false;
      globalThis.fetch = async (address, init) => {
        const path = String(address);
        if (path.endsWith("id=x/199")) await isHeldUp;
        if (isRefused || !path.includes("id=x/177&mode=add")) return fetch(address, init);
        isRefused = true;
        return Response.json({ detail: "It would fall below 0." }, { status: 409 });
      };
    });
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("100 of 101 counters…").waitFor();
    await page.evaluate(() => dispatchEvent(new Event("go")));
    await page.getByText("Deleted 101 counters: 202 views.").waitFor();
    await page.getByText("10 counters", { exact: true }).waitFor();
    strictEqual(await bar.count(), 0);

    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restored 100 of 101 counters. It would fall below 0.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Restored x/177.").waitFor();
    await page.getByText("111 counters", { exact: true }).waitFor();
    deepStrictEqual([await countOf(service, "x/177"), await countOf(service, "x/10")], ["2", "2"]);
  },
);
