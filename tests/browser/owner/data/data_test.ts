import { Buffer } from "node:buffer";
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { needsChromium, shareChromium, sharedChromium } from "../../../support/chromium.ts";
import { zip } from "../../../support/data_files.ts";
import { startLocalService } from "../../../support/local_service.ts";
import { countOf, dayAgo, hitThrice, testOwner } from "../../../support/owner_page.ts";
import { authorized, SECRET } from "../../../support/secret.ts";
import { tempDir } from "../../../support/temp_dir.ts";
import {
  assertAccessible,
  assertAccessibleInBothModes,
  openPage,
} from "../../../support/web_page.ts";

const LINES = [{ id: "blog/home", hits: 10 }, { id: "blog/guide/backup", hits: 30_000 }];
const SPANISH = "Ruta de página;Usuarios activos;Vistas;Última visita\n" +
  "/guide/install;1.204;3.481;2026-10-02\n/guide/backup/;845;2.107;2026-10-02\n" +
  '"/notes/a; b";12;31;2026-10-03\n/;6.120;18.944;2026-10-03\n/drafts/new;1;–;2026-10-04\n';
/** The requests of an import. */
const IMPORTING = /\/counters\?mode=max&undo=1$/;
const STATS = '{"hour":"2026-03-05T12:00:00Z","path_id":1,"ref_id":1,"count":4}\n';
const PATHS = '{"id":1,"path":"/hello/","event":false}\n';

async function choose(page: Page, files: Record<string, string | Uint8Array<ArrayBuffer>>) {
  await page.getByRole("link", { name: "Data" }).click();
  await page.getByLabel("Files to import").setInputFiles(
    Object.entries(files).map(([name, content]) => ({
      name,
      mimeType: "text/plain",
      buffer: typeof content === "string" ? Buffer.from(content) : Buffer.from(content),
    })),
  );
}

testOwner(
  "the owner imports tables of several places, and sees before what would become of them",
  LINES,
  async ({ page, service }) => {
    await choose(page, {
      "paginas.csv": SPANISH,
      "goatcounter.zip": await zip({
        "hit_stats.jsonl": STATS,
        "paths.jsonl": PATHS,
        "refs.jsonl": '{"id":1,"ref":"x"}\n',
        "info.json": '{"export_version":"1.0"}',
      }),
      "old.xls": new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]),
    });
    await page.getByText("old.xls: it has no CSV, TSV or JSON in UTF-8 or UTF-16.").waitFor();
    // Nothing is imported under ids that no page asks for.
    await page.getByText("Which id does the page /hello/ ask for?").waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await assertAccessible(page);
    await page.getByRole("button", { name: "blog/hello", exact: true }).click();
    await page.getByText("1 row · page path_id, number count, day hour").waitFor();
    await page.getByText(/they do not list pages: refs\.jsonl, info\.json$/).waitFor();
    // Before the choice, only the known table is counted.
    await page.getByRole("button", { name: "Import 1 counter", exact: true }).waitFor();
    const ofPage = page.locator("select:visible").first().locator("option:checked");
    strictEqual(await ofPage.textContent(), "Ruta de página");
    const chosen = page.getByLabel("Number of views").locator("option:checked");
    strictEqual(await chosen.textContent(), "Choose…");
    await page.getByLabel("Number of views").focus();
    await page.getByLabel("Number of views").selectOption("Vistas");
    strictEqual(await page.evaluate("document.activeElement.tagName"), "SELECT");
    await page.locator(".pick select").nth(2).selectOption("None: totals without days");
    await page.getByText(
      '/guide/install becomes blog/guide/install, which counter="auto" asks for',
    ).waitFor();
    const button = page.getByRole("button", { name: "Import 5 counters" });
    await button.waitFor();
    deepStrictEqual(await textsOf(page, ".rows tbody tr:nth-child(4) td"), [
      ...["/", "6.120", "18.944", "2026-10-03", "blog/home: 18,944"],
    ]);
    deepStrictEqual(await textsOf(page, ".reasons tbody tr"), [
      "No whole number16paginas.csv: /drafts/new · 1 · – · 2026-10-04",
    ]);
    await page.getByText("4 of 5 counters, the largest first").waitFor();
    deepStrictEqual(await textsOf(page, ".outcome table:not(.reasons) tbody tr"), [
      "blog/home1018,944",
      "blog/guide/installnew3,481",
      "blog/notes/a; bnew31",
      "blog/hellonew4",
    ]);
    strictEqual(await countOf(service, "blog/home"), "10");
    await page.locator("#data-view").getByLabel("Prefix").fill("blog/");
    await page.getByText(/^import\.blog\/\.[\w-]{22}$/).waitFor();
    await button.hover();
    await assertAccessibleInBothModes(page);
    await button.click();
    await page.getByText("Imported 5 counters.").waitFor();
    strictEqual(await countOf(service, "blog/home"), "18944");
    strictEqual(await countOf(service, "blog/guide/backup"), "30000");
    await page.getByRole("link", { name: "See them" }).click();
    await page.getByTitle("blog/hello", { exact: true }).waitFor();
    // Importing the same file again changes nothing.
    await choose(page, { "paginas.csv": SPANISH });
    await page.getByLabel("Number of views").selectOption("Vistas");
    await page.locator(".pick select").nth(2).selectOption("None: totals without days");
    await page.getByText("Unchanged: all of it is here already.").waitFor();
    ok(await page.getByRole("button", { name: "Import", exact: true }).isDisabled());
  },
);

function textsOf(page: Page, selector: string): Promise<string[]> {
  return page.locator(selector).allTextContents();
}

testOwner(
  "every import is undone from its result, and what was counted before and since stays; the owner says whether a total includes what is counted here, and sees both results",
  [{ id: "a", hits: 5, days: { [dayAgo(0)]: 5 } }, { id: "c", hits: 40 }],
  async ({ page, service }) => {
    await page.route(IMPORTING, async (route) => {
      for (const id of ["a", "b", "c"]) await hitThrice(service, id);
      await route.continue();
    });
    const table = `day,page,views\n${dayAgo(0)},/a,50\n2026-01-01,/a,7\n2026-01-01,/b,3\n`;
    await choose(page, { "days.csv": `${table}2026-01-02,/new,9\n` });
    await page.getByRole("button", { name: "a", exact: true }).click();
    await page.getByRole("button", { name: "Import 3 counters" }).click();
    await page.getByText("Imported 3 counters.").waitFor();
    await choose(page, { "list.txt": "1000 c\n" });
    await page.getByRole("button", { name: /^(Import|Add) 1 counter/ }).click();
    await page.getByText("Imported 1 counter.").waitFor();
    for (const id of ["a", "b", "c"]) await hitThrice(service, id);
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.last().click();
    await page.getByText("Undone: 3 counters.").waitFor();
    await undo.click();
    await page.getByText("Undone: 1 counter.").waitFor();
    const lines = await (await fetch(`${service.url}/counters`, { headers: authorized })).text();
    deepStrictEqual(lines.trim().split("\n").map((line) => JSON.parse(line)), [
      { id: "a", hits: 14, days: { [dayAgo(0)]: 14 } },
      { id: "b", hits: 9, days: { [dayAgo(0)]: 9 } },
      { id: "c", hits: 49, days: { [dayAgo(0)]: 9 } },
      { counters: 3 },
    ]);
    await page.unroute(IMPORTING);

    await choose(page, { "list.txt": "1000 a\n" });
    await page.getByRole("button", { name: "Keep the larger of 1 counter" }).waitFor();
    deepStrictEqual(await textsOf(page, ".outcome tbody tr"), ["a141,0001,014"]);
    await page.getByRole("button", { name: "Add 1 counter before" }).click();
    await page.getByText("Imported 1 counter.").waitFor();
    strictEqual(await countOf(service, "a"), "1014");
    await choose(page, { "list.txt": "1000 a\n" });
    await page.getByText("Unchanged: all of it is here already.").waitFor();
    await page.getByRole("button", { name: "Remove list.txt" }).click();
    // An export that was cut off is imported only after a confirmation.
    const cut = { "cut.ndjson": '{"id":"e","hits":3}\n{"id":"f","hits":4}\n' };
    for (const isConfirmed of [false, true]) {
      const asked = page.waitForEvent("dialog").then(async (dialog) => {
        await (isConfirmed ? dialog.accept() : dialog.dismiss());
        return dialog.message();
      });
      await choose(page, cut);
      match(await asked, /^cut\.ndjson: .*it was cut off\. Import what it has\?$/);
    }
    await page.getByRole("button", { name: "Import 2 counters" }).waitFor();
    deepStrictEqual(await textsOf(page, ".file b"), ["cut.ndjson"]);
    await choose(page, { "x.csv": "Day,Page,Views\n11/12/2025,/a,2\n11/12/2025,/e,2\n" });
    await page.locator(".pick select").nth(2).selectOption("Day, month/day/year");
    await page.getByText("A day that is here keeps the larger number. The others are added")
      .waitFor();
    deepStrictEqual(await textsOf(page, ".outcome tbody tr"), ["a1,0141,016", "fnew4", "enew3"]);
  },
);

/** An export of three counters, of which no two fit into a request. */
const LARGE = `${
  [1, 20, 300].map((hits) =>
    `{"id":"p/${hits}",${
      " ".repeat(hits === 20 ? 240_000 : 61_000)
    }"hits":${hits},"days":{"2026-01-01":1}}\n`
  ).join("")
}{"counters":3}\n`;

testOwner(
  "exports hold every counter, and the lines for cron do what they say in a shell, also if a response is cut off; an import that fails says how far it came, and can be sent again",
  [...LINES, { id: "=1+1", hits: 9, days: { "2026-01-02": 4 } }],
  async ({ page, service }) => {
    const earlier = Promise.withResolvers<Route>();
    await page.route(/prefix=github/, (route) => earlier.resolve(route));
    await page.getByRole("link", { name: "Data" }).click();
    const route = await earlier.promise;
    const saved = async (button: string) => {
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: button }).click();
      const download = await downloading;
      return [download.suggestedFilename(), await Deno.readTextFile(await download.path())];
    };
    await page.getByText("Keep a copy of SECRET_TOKEN next to the backup.").waitFor();
    const [name, text = ""] = await saved("Export as lines");
    strictEqual(name, "counters.ndjson");
    ok(text.endsWith('{"counters":3}\n'));
    strictEqual(text.split("\n").length, 5);
    deepStrictEqual(await saved("Export as CSV"), [
      "counters.csv",
      "\ufeffid,day,hits\n'=1+1,,5\n'=1+1,2026-01-02,4\nblog/guide/backup,,30000\nblog/home,,10\n",
    ]);
    await page.locator("#data-view").getByLabel("Prefix").fill("blog/");
    await page.getByText(/curl .*import\.blog\/\.[\w-]{22}/).waitFor();
    await page.getByText(/curl .*backup\./).waitFor();
    await page.getByText(/curl .*metrics\./).waitFor();
    // The response for the earlier prefix arrives after that for the last one.
    const arrival = page.waitForResponse(/prefix=github/);
    await route.continue();
    await (await arrival).finished();
    const lines = await textsOf(page, "#data-view code");
    const commands = lines.filter((line) => line.includes("curl"))
      .map((line) => line.replace(/^(?:[\d*]+ ){5}/, ""));
    await using folder = await tempDir();
    const run = async (command: string) => {
      const options = { args: ["-c", command], cwd: folder.path };
      return (await new Deno.Command("sh", options).output()).code;
    };
    const textOf = (name: string) => Deno.readTextFile(join(folder.path, name));
    await Deno.writeTextFile(join(folder.path, "lines.ndjson"), '{"id":"blog/home","hits":12}\n');
    for (const command of commands) strictEqual(await run(command), 0, command);
    strictEqual(await countOf(service, "blog/home"), "12");
    const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
    const backup = names.find((name) => /^counters-[1-7]\.ndjson$/.test(name)) ?? "";
    match(await textOf(backup), /\{"counters":3\}\n$/);
    const metrics = await textOf("tallymark.prom");
    match(metrics, /^tallymark_/m);
    await using cutting = Deno.serve({ port: 0, onListen() {} }, () => {
      const halves = ReadableStream.from((function* () {
        yield "half";
        throw new Error("cut off");
      })());
      return new Response(halves.pipeThrough(new TextEncoderStream()));
    });
    for (const command of commands) {
      const cut = command.replace(service.url, `http://localhost:${cutting.addr.port}`);
      ok(await run(cut) > 0, cut);
    }
    match(await textOf(backup), /\{"counters":3\}\n$/);
    strictEqual(await textOf("tallymark.prom"), metrics);

    await page.route("**/status", (route) => route.abort());
    await choose(page, { "large.ndjson": LARGE });
    await page.getByText("The server cannot be reached.").waitFor();
    await page.unroute("**/status");
    // A change of the ids ends an import that has begun, so both are counted before it.
    for (const prefix of ["x/", ""]) {
      await page.getByLabel("Put before each id").fill(prefix);
      await page.locator(".outcome").getByText(`${prefix}p/300`, { exact: true }).waitFor();
    }
    strictEqual(await page.getByText("The server cannot be reached.").count(), 0);
    let requests = 0;
    const away = { status: 503, json: { detail: "The store is unavailable." } };
    await page.route(IMPORTING, (route) => ++requests < 3 ? route.continue() : route.fulfill(away));
    await page.getByRole("button", { name: "Import 3 counters" }).click();
    const alert = page.getByRole("alert").filter({ hasText: "The store is unavailable." });
    match(await alert.textContent() ?? "", /2 of 3 counters are imported\./);
    await page.unroute(IMPORTING);
    await page.getByRole("button", { name: "Import 3 counters" }).click();
    await page.getByText("Imported 3 counters.").waitFor();
    const counts = [1, 20, 300].map((hits) => countOf(service, `p/${hits}`));
    deepStrictEqual(await Promise.all(counts), ["1", "20", "300"]);
    // It is unknown what the request that failed has changed.
    strictEqual(await page.getByRole("button", { name: "Undo" }).count(), 0);
  },
);

shareChromium();
Deno.test(
  "a page from before an upgrade says that it has to be reloaded; then a service without counters imports pasted text by keyboard, also if streams cannot be iterated",
  needsChromium,
  async () => {
    await using service = await startLocalService({ SECRET_TOKEN: SECRET });
    await using opened = await openPage(sharedChromium(), `${service.url}/#sign-in=${SECRET}`);
    const { page, complaints } = opened;
    // Safari 26 cannot.
    await page.addInitScript(() => {
      Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
    });
    const changed = { contentType: "text/javascript", body: "document.title = 'changed'" };
    await page.route("**/data.js", (route) => route.fulfill(changed), { times: 1 });
    await page.getByRole("link", { name: "Import counters from elsewhere" }).click();
    await page.getByRole("button", { name: "Reload the page" }).waitFor();
    strictEqual(await page.title(), "Data · Tallymark");
    match(complaints.join(), /integrity|Content Security Policy/);
    const { length } = complaints;
    await page.getByRole("button", { name: "Reload the page" }).click();

    const chosen = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose files" }).press("Enter");
    await chosen;
    await page.getByRole("button", { name: "Paste text" }).press("Enter");
    const text = page.getByLabel("Text to import");
    const file = page.locator(".file");
    await text.fill("1 b");
    await file.waitFor();
    await text.fill("");
    await file.waitFor({ state: "detached" });
    strictEqual(await page.getByText("it is empty").count(), 0);
    await text.fill("1 b");
    await page.getByRole("button", { name: "Remove Pasted text" }).press("Enter");
    strictEqual(await text.inputValue(), "");
    await text.focus();
    await page.keyboard.insertText(
      "41 https://example.com/a/\n2 https://example.org/a\nuser/repo 12k\n",
    );
    await page.getByRole("button", { name: "a", exact: true }).press("Enter");
    await page.getByText("3 rows ·").waitFor();
    await page.getByText("Pages of https://example.com, https://example.org are").waitFor();
    await page.getByRole("button", { name: "Import 1 counter" }).press("Enter");
    await page.getByText("Imported 1 counter.").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).click();
    match(await Deno.readTextFile(await (await downloading).path()), /^a,,43$/m);
    await page.getByRole("link", { name: "Counters", exact: true }).click();
    await page.getByRole("button", { name: "a", exact: true }).waitFor();
    deepStrictEqual(complaints.slice(length), []);
  },
);
