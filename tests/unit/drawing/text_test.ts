import { ok, strictEqual } from "node:assert/strict";
import { cleanText, setLine } from "../../../src/drawing/text.ts";
import { verdana10, verdana11 } from "../../../src/drawing/face.ts";

const CLEANED: readonly (readonly [given: string, clean: string])[] = [
  ["views", "views"],
  ["  views \t", "views"],
  ["a\tb\r\nc", "a b  c"],
  ["a\u0000b\u0007c\u001bd", "abcd"],
  ["\u007f\u0085\u009fx", "x"],
  ["\ud800x\udfff", "x"],
  ["x\ufffe\uffff\ufdd0", "x"],
  ["views\u202e", "views"],
  ["\u2067views", "views"],
  ["日本 👩‍👩‍👧", "日本 👩‍👩‍👧"],
  ["נ\u200fa", "נ\u200fa"],
  ["\u0000\u0001", ""],
  [" ", ""],
  ["", ""],
];

for (const [given, clean] of CLEANED) {
  Deno.test(`cleanText() makes ${JSON.stringify(clean)} of ${JSON.stringify(given)}`, () => {
    strictEqual(cleanText(given), clean);
  });
}

for (const character of ["x", "é", "e\u0301", "本", "👨‍👩‍👧‍👦", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]) {
  Deno.test(`cleanText() cuts after 100 characters, each of them ${character}`, () => {
    strictEqual(cleanText(character.repeat(100)), character.repeat(100));
    strictEqual(cleanText(character.repeat(101)), character.repeat(100) + "…");
    strictEqual(cleanText(character.repeat(5000)), character.repeat(100) + "…");
  });
}

Deno.test("cleanText() bounds the marks piled on one letter", () => {
  ok(cleanText("a" + "\u0301".repeat(60_000)).length <= 32);
  ok(cleanText(("a" + "\u0301".repeat(500)).repeat(200)).length <= 3300);
});

const WIDTHS: readonly (readonly [text: string, pixels: number])[] = [
  ["hits", 20.04],
  ["12,345", 38.95],
  ["é", 6.55],
  ["e\u0301", 6.55],
  ["本本", 22],
  ["👨‍👩‍👧‍👦", 10.7],
  ["🇩🇪", 10.7],
  ["👍🏽", 10.7],
  ["1️⃣", 10.7],
  ["\u200b\u200d\ufeff", 0],
  ["\u00ad", 0],
];

for (const [text, pixels] of WIDTHS) {
  Deno.test(`setLine() measures ${JSON.stringify(text)} as ${pixels} px of Verdana 11`, () => {
    strictEqual(Math.round(setLine(text, verdana11).width * 100) / 100, pixels);
  });
}

Deno.test("setLine() escapes what XML takes for markup, in content and in attributes", () => {
  const { spoken, drawn } = setLine(`<a href="x">&'`, verdana11);
  strictEqual(spoken, "&lt;a href&#61;&quot;x&quot;&gt;&amp;&#39;");
  strictEqual(drawn, spoken);
});

Deno.test("setLine() keeps runs of spaces apart when they are drawn", () => {
  const { spoken, drawn } = setLine("a   b c", verdana11);
  strictEqual(spoken, "a   b c");
  strictEqual(drawn, "a\u00a0\u00a0 b c");
});

Deno.test("setLine() draws capitals and speaks the text as it was written", () => {
  const { spoken, drawn, width } = setLine("straße", verdana10, true);
  strictEqual(spoken, "straße");
  strictEqual(drawn, "STRASSE");
  strictEqual(width, setLine("STRASSE", verdana10).width);
});

const DIRECTIONS: readonly (readonly [text: string, rightToLeft: boolean])[] = [
  ["views", false],
  ["123 !", false],
  ["مشاهدات!", true],
  ["(צפיות)", true],
  ["views מ", false],
  ["١٢٣", false],
  ["日本", false],
];

for (const [text, rightToLeft] of DIRECTIONS) {
  Deno.test(`setLine() lets the first letter of ${text} decide its direction`, () => {
    const line = setLine(text, verdana11);
    strictEqual(line.rightToLeft, rightToLeft);
    strictEqual(line.attributes.includes('direction="rtl"'), rightToLeft);
  });
}

Deno.test("setLine() does not space letters that join", () => {
  strictEqual(setLine("مشاهدات", verdana10).spaced, 0);
  strictEqual(setLine("दृश्य", verdana10).spaced, 0);
  strictEqual(setLine("é本x", verdana10).spaced, 3);
});
