import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";
import { isUnchanged } from "../../../src/http/conditional.ts";

/** Accept headers, and whether each asks for an image. */
const accepted: { accept: string | undefined; image: boolean }[] = [
  { accept: "image/*", image: true },
  { accept: "image/svg+xml", image: true },
  { accept: "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", image: true },
  { accept: "*/*;q=0.8, IMAGE/PNG ; q=0.5", image: true },
  { accept: "image/png;q=0.001", image: true },
  { accept: "image/png;q=0,image/webp", image: true },
  { accept: undefined, image: false },
  { accept: "", image: false },
  { accept: "*/*", image: false },
  { accept: "application/json", image: false },
  { accept: "text/html,image/webp,*/*;q=0.8", image: false },
  { accept: "image/webp, Text/HTML;q=0.9", image: false },
  { accept: "image/png;q=0", image: false },
  { accept: "image/png; Q=0.000 , image/webp;q=0.", image: false },
  { accept: "x-image/png, text/x;a=image/png", image: false },
];

for (const { accept, image } of accepted) {
  Deno.test(`an image endpoint shows a problem with ${image ? 200 : "its status"} where Accept is ${accept ?? "missing"}`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store });
    const headers = accept === undefined ? authorized : { ...authorized, accept };
    store.failure = "store-unavailable";
    const rows = [
      { line: "/hit.svg", status: 503, name: "store-unavailable" },
      { line: "/badge", status: 503, name: "store-unavailable" },
      { line: "/hit.svg?id=%00", status: 400, name: "bad-id" },
      { line: "/badge?id=%ff", status: 400, name: "bad-query" },
    ];
    for (const { line, status, name } of rows) {
      for (const method of ["GET", "HEAD"]) {
        const got = await app.send(`${method} ${line}`, headers);
        strictEqual(got.status, image ? 200 : status, line);
        strictEqual(got.headers["x-tallymark"], name);
        strictEqual(got.headers.vary, "Accept");
        if (method === "GET") match(got.body, /^<svg/);
      }
    }
  });
}

const image = { ...authorized, accept: "image/*" };

Deno.test("an image request without the secret gets the picture, and counts nothing", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  const { status, headers, body } = await app.send("GET /hit.svg", { accept: "image/*" });
  deepStrictEqual([status, headers["x-tallymark"]], [200, "unauthorized"]);
  match(body, />unauthorized</);
  strictEqual(store.touched, 0);
});

Deno.test("/hit.svg shows an image request the last number with 200 and the name of the problem", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("a", 12);
  for (const failure of ["store-unavailable", "overloaded", "outcome-unknown"] as const) {
    store.failure = failure;
    const { status, headers, body } = await app.send("GET /hit.svg?id=a", image);
    deepStrictEqual([status, headers["x-tallymark"]], [200, failure]);
    match(body, />views: 12</);
  }
});

Deno.test("a method that an image endpoint does not have is 405 for everybody, and words stay words", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  strictEqual((await app.send("POST /badge", image)).status, 405);
  strictEqual((await app.send("PUT /hit.svg", image)).status, 405);
  store.failure = "store-unavailable";
  for (const path of ["/hit", "/count", "/count.txt", "/badge.json"]) {
    strictEqual((await app.send(`GET ${path}`, image)).status, 503, path);
  }
});

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
