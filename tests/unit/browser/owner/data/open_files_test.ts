import { deepStrictEqual, rejects } from "node:assert/strict";
import { openFile } from "../../../../../src/browser/owner/data/open_files.ts";
import { packedWith, utf16, zip } from "../../../../support/data_files.ts";

type Content = string | Uint8Array<ArrayBuffer>;

async function open(content: Content, name = "x.csv") {
  const opened = await Array.fromAsync(openFile(new File([content], name)));
  return opened.map(({ parts, ...rest }) => ({ ...rest, text: parts.join("\n") }));
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
  [
    "a workbook",
    () => zip({ "[Content_Types].xml": "", "xl/workbook.xml": "" }),
    /a workbook.*CSV UTF-8/,
  ],
  ["an old workbook", () => new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]), /a workbook.*CSV UTF-8/],
  ["Windows-1252", () => new Uint8Array([0x2f, 0xe9, 0x2c, 0x31]), /not in UTF-8.*CSV UTF-8/],
  ["GBK", () => new Uint8Array([0xc4, 0xe3, 0xba, 0xc3, 0x2c, 0x31]), /not in UTF-8/],
  ["a database", () => "SQLite format 3\0\u0010", /not in UTF-8/],
  ["a ZIP without tables", () => zip({ "a.png": "" }), /no CSV, TSV, JSON or text/],
  ["a ZIP that was cut off", async () => (await zip({ "a.csv": TEXT })).slice(0, -9), /damaged/],
  ["gzip that was cut off", async () => (await packedWith("gzip", TEXT)).slice(0, -9), /damaged/],
];

for (const [what, content, why] of REFUSED) {
  Deno.test(`open: ${what} is refused with a sentence that says what to do`, async () => {
    await rejects(async () => await open(await content()), why);
  });
}

Deno.test("more than 300 MB are refused, also if they are packed", async () => {
  const large = Object.assign(new File(["a"], "x.csv"), {});
  Object.defineProperty(large, "size", { value: 300_000_001 });
  await rejects(() => Array.fromAsync(openFile(large)), /larger than 300 MB/);
  const piece = new Uint8Array(10_000_000).fill(0x61);
  const stream = ReadableStream.from(Array.from({ length: 31 }, () => piece));
  const packed = await new Response(stream.pipeThrough(new CompressionStream("gzip"))).bytes();
  await rejects(() => open(packed), /larger than 300 MB/);
  // A small archive may hold any number of texts, of which each alone is not too large.
  const text = new Uint8Array(110_000_000).fill(0x61);
  const archive = await zip({ "a.csv": text, "b.csv": text, "c.csv": text });
  await rejects(() => open(archive, "x.zip"), /larger than 300 MB/);
});
