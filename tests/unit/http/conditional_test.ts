import { strictEqual } from "node:assert/strict";
import { isUnchanged } from "../../../src/http/conditional.ts";

const tag = '"4g-1a2b3c-12%2C345"';

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
