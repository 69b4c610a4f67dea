import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { countOf, testOwner } from "../../support/owner_page.ts";
import { assertAccessible } from "../../support/web_page.ts";

const LINES = [{ id: "blog/one", hits: 10 }, { id: "blog/two", hits: 300 }];

testOwner(
  "the owner imports lines as people keep them, and sees before what would change",
  LINES,
  async ({ page, service }) => {
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByLabel("Lines to import").fill(
      'id,hits\n41 https://github.com/user/repo\nblog/one,10\n"quoted, id",7\n12,345 thousands\n1.234.567 millions\nlast 12,345\n{"id":"own","hits":5}\n',
    );
    await page.getByRole("button", { name: "Show what would change" }).click();
    await page.getByText("7 counters, 6 would change.").waitFor();
    // Numbers of another service never lower what was counted here.
    strictEqual(await page.getByLabel("Existing counters").inputValue(), "max");
    await page.getByText("https://github.com/user/repo: 0 → 41").waitFor();
    strictEqual(await countOf(service, "own"), "0");
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("Imported 7 counters.").waitFor();
    strictEqual(await countOf(service, "https://github.com/user/repo"), "41");
    strictEqual(await countOf(service, "quoted, id"), "7");
    strictEqual(await countOf(service, "thousands"), "12345");
    strictEqual(await countOf(service, "millions"), "1234567");
    strictEqual(await countOf(service, "last"), "12345");
    await page.getByLabel("Lines to import").fill(
      'id,hits\n10 tips,532\n404,17\nuser/other,1,234\n"5","12"\n12 years\n1,234 posts/1,234\n',
    );
    await page.getByRole("button", { name: "Show what would change" }).click();
    const changes = ["10 tips: 0 → 532", "404: 0 → 17", "user/other: 0 → 1,234", "5: 0 → 12"];
    for (const change of [...changes, "years: 0 → 12", "posts/1,234: 0 → 1,234"]) {
      await page.getByText(change, { exact: true }).waitFor();
    }
    await page.getByLabel("Lines to import").fill("a,1\nnothing of a number\n");
    await page.getByRole("button", { name: "Show what would change" }).click();
    await page.getByText("Line 2 is not an id with a number: nothing of a number").waitFor();
    await assertAccessible(page);
  },
);

testOwner("a service without counters imports some", [], async ({ page }) => {
  await page.getByRole("link", { name: "Import counters from elsewhere" }).click();
  await page.getByLabel("Lines to import").fill("a 1");
  await page.getByRole("button", { name: "Show what would change" }).click();
  await page.getByText("1 counter, 1 would change.").waitFor();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Imported 1 counter.").waitFor();
  await page.getByRole("link", { name: "Counters" }).click();
  await page.getByRole("button", { name: "a", exact: true }).waitFor();
});

testOwner("the owner exports a file that holds every counter", LINES, async ({ page }) => {
  await page.getByRole("link", { name: "Data" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export everything" }).click();
  const download = await downloading;
  strictEqual(download.suggestedFilename(), "counters.ndjson");
  const text = await Deno.readTextFile(await download.path());
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  deepStrictEqual(lines, [...LINES, { counters: 2 }]);
});
