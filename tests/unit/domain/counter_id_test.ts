import { ok, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { counterId, MAX_ID_BYTES } from "../../../src/domain/counter_id.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { times } from "../../support/times.ts";
import { codePoint } from "../../support/code_point.ts";

const SCOTLAND = "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";

const accepted: { text: string | undefined; id: string }[] = [
  { text: undefined, id: "home" },
  { text: "", id: "home" },
  { text: " \t\n\u00a0\u2003\u3000", id: "home" },
  { text: "home", id: "home" },
  { text: " a ", id: "a" },
  { text: "\r\na\u2028", id: "a" },
  { text: "a b", id: "a b" },
  { text: "a  b", id: "a  b" },
  { text: "e\u0301", id: "\u00e9" },
  { text: "\u212b", id: "\u00e5".toUpperCase() },
  { text: "\u1100\u1161", id: "\uac00" },
  { text: "__proto__", id: "__proto__" },
  { text: "constructor", id: "constructor" },
  { text: "a:b", id: "a:b" },
  { text: "a:", id: "a:" },
  { text: "*", id: "*" },
  { text: "../..", id: "../.." },
  { text: "user/repo", id: "user/repo" },
  { text: "https://x/y", id: "https://x/y" },
  { text: "日本", id: "日本" },
  { text: "👍🏽", id: "👍🏽" },
  { text: "❤\ufe0f", id: "❤\ufe0f" },
  { text: "葛\u{e0100}", id: "葛\u{e0100}" },
  { text: "\u1820\u180b", id: "\u1820\u180b" },
  { text: "می\u200cخواهم", id: "می\u200cخواهم" },
  { text: "क्\u200dष", id: "क्\u200dष" },
  { text: "👩\u200d💻", id: "👩\u200d💻" },
  { text: "blog/❤\ufe0f\u200d🔥", id: "blog/❤\ufe0f\u200d🔥" },
  { text: SCOTLAND, id: SCOTLAND },
  { text: "\u200f\u061cblo\u00adg \u200e", id: "blog" },
  { text: " \u200e\u00ad", id: "home" },
  { text: "%ff", id: "%ff" },
  { text: "\ufffd", id: "\ufffd" },
  { text: "A", id: "A" },
  { text: "\uff21", id: "\uff21" },
  { text: "\ufb01", id: "\ufb01" },
  { text: "a".repeat(200), id: "a".repeat(200) },
  { text: `  ${"a".repeat(200)}  `, id: "a".repeat(200) },
  { text: "é".repeat(100), id: "é".repeat(100) },
  { text: "e\u0301".repeat(100), id: "é".repeat(100) },
  { text: "日".repeat(66) + "ab", id: "日".repeat(66) + "ab" },
];

for (const { text, id } of accepted) {
  Deno.test(`counterId() takes ${named(text)} for ${named(id)}`, () => {
    strictEqual(counterId(text), id);
  });
}

const refused = [
  { text: "a\0", what: "NUL" },
  { text: "a\nb", what: "a line break" },
  { text: "\x1b[31m", what: "an escape sequence" },
  { text: "a\x7f", what: "DEL" },
  { text: "a\x85b", what: "a C1 control" },
  { text: "a\u200bb", what: "a zero-width space" },
  { text: "a\u200cb", what: "a zero-width non-joiner in ASCII" },
  { text: "é\u200da", what: "a zero-width joiner before ASCII" },
  { text: "a\u200dé", what: "a zero-width joiner after ASCII" },
  { text: "می\u200c", what: "a zero-width non-joiner at the end" },
  { text: "\u200dक", what: "a zero-width joiner at the start" },
  { text: "می\u200c\u3000خواهم", what: "a zero-width non-joiner before a space" },
  { text: "می\u3000\u200cخواهم", what: "a zero-width non-joiner after a space" },
  { text: "می\u200c\u200cخواهم", what: "two zero-width non-joiners" },
  { text: "می\u200d\u200cخواهم", what: "a zero-width joiner and a non-joiner" },
  { text: "a\u202eb", what: "a right-to-left override" },
  { text: "a\u2066b", what: "a bidirectional isolate" },
  { text: "a\ufeffb", what: "a byte order mark inside" },
  { text: "a\ud800", what: "a lone high surrogate" },
  { text: "\udc00a", what: "a lone low surrogate" },
  { text: "\ue000", what: "a private-use character" },
  { text: "\u{f0000}", what: "a private-use character of plane 15" },
  { text: "\ufffe", what: "a noncharacter" },
  { text: "\u{1ffff}", what: "a noncharacter of plane 1" },
  { text: "\u0378", what: "an unassigned character" },
  { text: "\u{e0041}", what: "a tag character" },
  { text: "🏴\u{e0067}", what: "an unfinished flag" },
  { text: "a\u2028b", what: "a line separator" },
  { text: "a\u2029b", what: "a paragraph separator" },
  { text: "\ufe0f", what: "a variation selector alone" },
  { text: "\u034f\u034f", what: "combining grapheme joiners alone" },
  { text: "\u3164", what: "a Hangul filler alone" },
  { text: "\u115f \uffa0", what: "fillers and a space alone" },
  { text: "\u{e0100}", what: "an ideographic variation selector alone" },
  { text: "\u2800", what: "a blank Braille pattern alone" },
  { text: "a".repeat(201), what: "201 bytes of ASCII" },
  { text: "é".repeat(101), what: "202 bytes in 101 characters" },
  { text: "日".repeat(67), what: "201 bytes in 67 characters" },
  { text: "\u0958".repeat(67), what: "what NFC makes longer than 200 bytes" },
];

for (const { text, what } of refused) {
  Deno.test(`counterId() refuses ${what} as "bad-id"`, () => {
    throws(() => counterId(text), (error) => {
      return error instanceof Failure && error.kind === "bad-id";
    });
  });
}

/** A character with a shape of its own. */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/u;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/** Drops marks and outer spaces, and composes characters. */
function plain(spelling: string): string {
  return spelling.replaceAll(/[\u00ad\u061c\u200e\u200f]/g, "").trim().normalize("NFC");
}

/** Removes the joiners between two characters that words of Persian, Hindi and emoji consist of. */
function withoutJoiners(id: string): string {
  const characters = [...id];
  return characters.filter((character, index) => {
    const joins = [characters[index - 1], characters[index + 1]].every((neighbor = "") =>
      neighbor > "\x7f" && neighbor.trim() !== "" && !INVISIBLE.test(neighbor)
    );
    return !/[\u200c\u200d]/.test(character) || !joins;
  }).join("");
}

const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ unit: "grapheme", maxLength: 120 }),
  fc.string({
    unit: fc.constantFrom(
      ..." \t\u00a0\u2028\u3164\ufe0fe\u0301é\0\u200b\u200c\u200d\ud83d\udc4da",
    ),
    maxLength: 20,
  }),
);

Deno.test("counterId() joins two spellings only by dropping marks, trimming and NFC, and refuses only what is too long or not visible", () => {
  fc.assert(
    fc.property(text, (spelling) => {
      const id = idOf(spelling);
      const expected = plain(spelling) || "home";
      const { length } = new TextEncoder().encode(expected);
      const isInBounds = length >= 1 && length <= MAX_ID_BYTES;
      const isShown = !INVISIBLE.test(withoutJoiners(expected)) && VISIBLE.test(expected);
      strictEqual(id, isInBounds && isShown ? expected : undefined);
      if (id !== undefined) strictEqual(counterId(id), id);
    }),
    { numRuns: times(4000, 10_000) },
  );
});

Deno.test("counterId() takes the longest ids also in the form that NFC makes three times shorter", () => {
  for (const character of ["각", "ᾂ", "ṩ", "é"]) {
    const bytes = new TextEncoder().encode(character).length;
    const id = character.repeat(Math.floor(MAX_ID_BYTES / bytes));
    strictEqual(counterId(` ${id.normalize("NFD")} `), id);
  }
});

Deno.test("counterId() hands no long text to what takes the square of its length", () => {
  const { normalize } = String.prototype;
  let longest = 0;
  String.prototype.normalize = function (form) {
    longest = Math.max(longest, this.length);
    return normalize.call(this, form);
  };
  try {
    strictEqual(idOf(`a${"\u0315\u0300".repeat(15_000)}`), undefined);
    strictEqual(idOf(`${" ".repeat(60_000)}é`), "é");
  } finally {
    String.prototype.normalize = normalize;
  }
  ok(longest <= 3 * MAX_ID_BYTES, `${longest} characters`);
});

function idOf(spelling: string): string | undefined {
  try {
    return counterId(spelling);
  } catch (error) {
    ok(error instanceof Failure && error.kind === "bad-id");
    return undefined;
  }
}

function named(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > 20 ? `${text.length} characters` : JSON.stringify(text);
}
