import { match, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { badgeTag, isUnchanged, textHash } from "../../src/http/entity_tag.ts";

const tag = badgeTag(textHash("a look"), "12,345");

const known: { header: string | undefined; unchanged: boolean }[] = [
  { header: undefined, unchanged: false },
  { header: "", unchanged: false },
  { header: tag, unchanged: true },
  { header: `W/${tag}`, unchanged: true },
  { header: `"other", ${tag}`, unchanged: true },
  { header: `"other",W/${tag},"more"`, unchanged: true },
  { header: " * ", unchanged: true },
  { header: `"other"`, unchanged: false },
  { header: tag.slice(1, -1), unchanged: false },
  { header: tag.toUpperCase(), unchanged: false },
  { header: `w/${tag}`, unchanged: false },
  { header: `"*"`, unchanged: false },
  { header: `"a*", *b`, unchanged: false },
];

for (const { header, unchanged } of known) {
  Deno.test(`isUnchanged() says ${unchanged} of If-None-Match: ${header ?? "(none)"}`, () => {
    const headers = header === undefined ? {} : { "if-none-match": header };
    const request = new Request("http://localhost/", { headers: new Headers(headers) });
    strictEqual(isUnchanged(request, tag), unchanged);
  });
}

Deno.test("isUnchanged() looks at every If-None-Match header", () => {
  const headers = new Headers([["if-none-match", '"other"'], ["if-none-match", tag]]);
  strictEqual(isUnchanged(new Request("http://localhost/", { headers }), tag), true);
});

Deno.test("badgeTag() is an entity tag without commas, whatever the message", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (message) => {
    match(badgeTag(textHash(message), message), /^"[\x21\x23-\x2b\x2d-\x7e]+"$/);
  }));
});

Deno.test("textHash() tells texts apart", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, text, (one, other) => {
      strictEqual(textHash(one) === textHash(other), one === other);
    }),
    { numRuns: 5000 },
  );
});
