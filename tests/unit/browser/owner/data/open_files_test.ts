import { deepStrictEqual, rejects } from "node:assert/strict";
import { constants, deflateRawSync } from "node:zlib";
import { openFile } from "../../../../../src/browser/owner/data/open_files.ts";
import { packedWith, utf16, zip } from "../../../../support/data_files.ts";

type Content = string | Uint8Array<ArrayBuffer>;

async function open(content: Content, name = "x.csv") {
  const opened = await Array.fromAsync(openFile(new File([content], name)));
  return opened.map(({ encoding, ...rest }) => ({ ...rest, ...encoding && { encoding } }));
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

Deno.test("Chinese in GBK is read, and the encoding is named", async () => {
  const content = new Uint8Array([0x2f, 0xc4, 0xe3, 0xba, 0xc3, 0x2c, 0x31]);
  deepStrictEqual(await open(content), [
    { name: "x.csv", archive: "", encoding: "GBK", text: "/你好,1" },
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
    /a spreadsheet.*CSV UTF-8/,
  ],
  ["a sheet of LibreOffice", () => zip({ "content.xml": "" }), /a spreadsheet.*CSV UTF-8/],
  ["an old workbook", () => new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]), /a spreadsheet.*CSV UTF-8/],
  ["Windows-1252", () => new Uint8Array([0x2f, 0xe9, 0x2c, 0x31]), /Windows-1252.*CSV UTF-8/],
  ["a photo", () => new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0x10]), /not a text but a picture/],
  [
    "a photo of a phone",
    () => new Uint8Array([0, 0, 0, 24, 0x66, 0xff]),
    /not a text but a picture/,
  ],
  ["a database", () => "SQLite format 3\0\u0010", /not a text but .* a database/],
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
  // A small archive may hold any number of texts, of which each alone is not too large.
  const million = new Uint8Array(1_000_000).fill(0x61);
  const block = deflateRawSync(million, { finishFlush: constants.Z_FULL_FLUSH });
  const packed = new Blob([...Array(300).fill(block), new Uint8Array([3, 0])]);
  const archive = await zip({ "a.csv": "a", "b.csv": packed });
  await rejects(() => open(archive, "x.zip"), /larger than 300 MB/);
});
