import { deepStrictEqual, ok, rejects, throws } from "node:assert/strict";
import { openFile } from "../../../../../src/browser/owner/data/open_files.ts";
import { importOf, packedWith, utf16, zip } from "../../../../support/data_files.ts";
import fc from "fast-check";
import Papa from "papaparse";
import { csvCell, csvRows, csvStart } from "../../../../../src/browser/owner/data/csv.ts";
import { pageId } from "../../../../../src/browser/embed/page_id.ts";

type Content = string | Uint8Array<ArrayBuffer>;

async function open(content: Content, name = "x.csv") {
  return await Array.fromAsync(openFile(new File([content], name)));
}

const TEXT = "page,views\r\n/é,1\r/b,2\n";
const READ = "page,views\n/é,1\n/b,2\n";

const FORMS: Readonly<Record<string, () => Promise<Content> | Content>> = {
  "UTF-8": () => TEXT,
  "UTF-8 with a mark": () => `\ufeff${TEXT}`,
  "UTF-16LE with a mark": () => utf16(TEXT),
  "UTF-16BE with a mark": () => utf16(TEXT, { isLittle: false }),
  "UTF-16LE without a mark": () => utf16(TEXT, { mark: false }),
  "UTF-16BE without a mark": () => utf16(TEXT, { mark: false, isLittle: false }),
  "gzip": () => packedWith("gzip", TEXT),
  "gzip of UTF-16": () => packedWith("gzip", utf16(TEXT)),
};

for (const [form, content] of Object.entries(FORMS)) {
  Deno.test(`open: ${form}`, async () => {
    deepStrictEqual(await open(await content()), [{ name: "x.csv", archive: "", text: READ }]);
  });
}

Deno.test("a ZIP has the texts of its tables, and of nothing else", async () => {
  const content = await zip({
    "logo.png": "\x89PNG",
    "a/pages.csv": TEXT,
    "__MACOSX/a/._pages.csv": "\0\x05",
    "b.jsonl": utf16("{}"),
  });
  deepStrictEqual(await open(content, "x.zip"), [
    { name: "a/pages.csv", archive: "x.zip", text: READ },
    { name: "b.jsonl", archive: "x.zip", text: "{}" },
  ]);
});

Deno.test("newlines and characters that two pieces share", async () => {
  const text = `${"é\r\n".repeat(200_000)}end\r`;
  const [opened] = await open(text);
  deepStrictEqual(opened?.text, `${"é\n".repeat(200_000)}end\n`);
});

const REFUSED: readonly [what: string, content: () => Promise<Content> | Content, why: RegExp][] = [
  ["a workbook", () => zip({ "xl/workbook.xml": "" }), /a spreadsheet.*CSV UTF-8/],
  ["GBK", () => new Uint8Array([0x2f, 0xc4, 0xe3, 0xba, 0xc3, 0x2c, 0x31]), /GBK.*CSV UTF-8/],
  ["Windows-1252", () => new Uint8Array([0x2f, 0xe9, 0x2c, 0x31]), /Windows-1252.*CSV UTF-8/],
  ["a photo of a phone", () => new Uint8Array([0, 0, 0, 24, 0x66, 0xff]), /no CSV, TSV or JSON/],
  ["a database", () => "SQLite format 3\0\u0010", /no CSV, TSV or JSON/],
  ["a ZIP that was cut off", async () => (await zip({ "a.csv": TEXT })).slice(0, -9), /damaged/],
  ["gzip that was cut off", async () => (await packedWith("gzip", TEXT)).slice(0, -9), /damaged/],
];

for (const [what, content, why] of REFUSED) {
  Deno.test(`open: ${what} is refused with a sentence that says what to do`, async () => {
    await rejects(async () => await open(await content()), why);
  });
}

Deno.test("JSON of numbers by days is refused, with the form that is read", async () => {
  for (
    const part of [
      { "/a": { "2026-11-20": 3 } },
      { "2026-11-20": { "/a": 3 } },
      [{ path: "/a", views: { "2026-11-20": 3 } }],
    ]
  ) {
    await rejects(importOf({ "x.json": JSON.stringify(part) }), /a page, a day and a number\.$/);
  }
});

const rowsOf = (text: string, delimiter = ",") => [...csvRows(text, delimiter)];

Deno.test("any table that a CSV writer wrote reads back", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", " ", '"', ",", ";", "\t", "\n", "é") });
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 });
  fc.assert(
    fc.property(table, fc.constantFrom(",", ";", "\t"), (rows, delimiter) => {
      const text: string = Papa.unparse(rows, { delimiter, newline: "\n" });
      deepStrictEqual(rowsOf(text, delimiter), rows);
    }),
    { numRuns: 500 },
  );
});

Deno.test("what is no CSV reads as papaparse reads it, or names the row of a quote", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", '"', ",", "\n") });
  fc.assert(
    fc.property(text, (text) => {
      // A line of nothing at the end is no row.
      const given = `${text}x`;
      const { data, errors } = Papa.parse(given, { delimiter: ",", newline: "\n" });
      if (errors.length > 0) {
        throws(() => rowsOf(given), /^Error: the quote in row \d+ is not closed/);
      } else deepStrictEqual(rowsOf(given), data);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("long cells, many rows, and a quote that is never closed", () => {
  const long = "x\n".repeat(300_000);
  deepStrictEqual(rowsOf(`a,"${long}",b\nc,d`), [["a", long, "b"], ["c", "d"]]);
  const rows = Array.from({ length: 70_000 }, (_, index) => `/page/${index},${index}`);
  deepStrictEqual(rowsOf(rows.join("\n")).length, rows.length);
  throws(() => rowsOf(`page,views\n${rows.join("\n")}\n"/b,2\n/c,3`), /the quote in row 70002 /);
});

const delimiterOf = (text: string) => csvStart(text).delimiter;

Deno.test("the delimiter is that of the first row, whatever its cells hold", () => {
  deepStrictEqual(delimiterOf("a;b\n1,5;2,5\n3,5;4,5\n"), ";");
  deepStrictEqual(delimiterOf("\n\na,b\n\n1;2,3\n"), ",");
  deepStrictEqual(delimiterOf('"a;b;c"\tb\n"d;e;f"\te\n'), "\t");
  deepStrictEqual(delimiterOf("/a\t1,2\n/b\t3,4\n"), "\t");
});

Deno.test("no cell of an export is a formula, and each reads back with at most a mark before it", () => {
  const text = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "a", ",", '"') });
  fc.assert(
    fc.property(text, (text) => {
      const written = csvCell(text);
      deepStrictEqual(/^"?[=+\-@]/.test(written), false);
      const [[cell = ""] = []] = rowsOf(`${written},`);
      deepStrictEqual(cell === text || cell === `'${text}`, true);
    }),
    { numRuns: 500 },
  );
});

/** Files of all places with pages, each with seven views of one page. */
const FILES: Readonly<Record<string, (page: string) => string>> = {
  GA4: (page) => `Page location,Views\nhttps://example.com${page},7\n`,
  Plausible: (page) => `name,visitors,pageviews\n${page},5,7\n`,
  Fathom: (page) => `datetime,pathname,pageviews\n2026-01-01,${page},7\n`,
  "Simple Analytics": (page) => `added_iso,path\n${`2026-01-01T00:00:00Z,${page}\n`.repeat(7)}`,
  Umami: (page) => `url_path,event_type,created_at\n${`${page},1,2026-01-01 00:00:00\n`.repeat(7)}`,
  Matomo: (page) => `label,nb_hits,url\n/x,7,https://example.com${page}\n`,
  GoAccess: (page) => JSON.stringify({ requests: { data: [{ hits: { count: 7 }, data: page }] } }),
  GoatCounter: (page) => `2Path,Event,Bot,Date\n${`${page},false,0,2026-01-01\n`.repeat(7)}`,
  LeanCloud: (page) => `[{"url":"${page}","title":"x","time":7}]`,
  Waline: (page) => `id,time,url\n1,7,${page}\n`,
  Jetpack: (page) => `"Hello",7,"https://example.com${page}"\n`,
  "a table": (page) => `page,count\n${page},7\n`,
};

/** Addresses at which a page is opened, and the one that a place has noted. */
const PAGES = [
  ["/hello", "/hello/"],
  ["/hello/", "/hello"],
  ["/hello/index.html", "/hello/"],
  ["/hello/?utm_source=feed", "/hello/index.html"],
  ["/h%C3%A9llo/", "/héllo/"],
  ["/", "/index.html"],
  ["/?p=7&page_id=2&id=start&utm_source=feed", "/?p=7&page_id=2&id=start"],
] as const;

/** The recipes by the prefix and the query of the ids that they make. */
const recipes = Map.groupBy(
  [...Deno.readDirSync(".docs/sites")].map(({ name }) => {
    const recipe = Deno.readTextFileSync(`.docs/sites/${name}`);
    const attribute = (name: string) => new RegExp(`${name}="([^"{}]+)"`).exec(recipe)?.[1] ?? "";
    const hasPageIds = /counter="auto"|counter="blog\/\{\{/.test(recipe);
    return { name, hasPageIds, prefix: attribute("prefix") || "blog/", query: attribute("query") };
  }),
  ({ prefix, query }) => JSON.stringify({ prefix, query }),
);

for (const some of recipes.values()) {
  const [{ prefix = "", query = "" } = {}] = some;
  Deno.test(`an import shows on the pages of ${some.map(({ name }) => name)}, from every place`, async () => {
    ok(some.every(({ hasPageIds }) => hasPageIds), "A recipe has another kind of id.");
    for (const [opened, noted] of PAGES) {
      const id = pageId(opened, prefix, query);
      for (const [place, file] of Object.entries(FILES)) {
        const { lines, tables: [table] } = await importOf(
          { "x.txt": file(noted) },
          { prefix, query },
        );
        const [line = ""] = lines;
        const { hits, days, ...asked } = JSON.parse(line);
        deepStrictEqual([asked, hits ?? days["2026-01-01"]], [{ id }, 7], `${place} ${noted}`);
        ok(table?.source?.name === place || place === "a table", place);
      }
    }
  });
}
