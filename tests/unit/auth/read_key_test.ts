import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { field, memoryApp, type TestApp, testApp } from "../../support/app.ts";
import { authorized, keyOf } from "../../support/secret.ts";
import { routes } from "../../support/surface.ts";

/** The endpoints to test. PNGs open as their SVG images do: see png_and_svg_test. */
const tested = routes.filter(({ path }) => !path.endsWith(".png"));

/** The addresses that the contract opens to a read key. */
const OPENED = [
  ...[
    "/count",
    "/count.txt",
    "/counts",
    "/badge",
    "/badge.json",
    "/days",
    "/feed.atom",
    "/top",
    "/p",
    "/p.json",
  ],
  ...["/chart.svg", "/calendar.svg", "/card.svg"],
];

function readKey(prefix: string): string {
  return keyOf(`read:${prefix}`);
}

/** The address of a path about `a/b`, or about its prefix if the path takes no id. */
function addressOf(path: string, subject: string): string {
  const concrete = path.replace("*", "komarev/ghpvc/");
  return `${concrete}?${subject === "prefix" ? "prefix=a/" : "id=a/b"}`;
}

Deno.test("GET /key?read= is base64url of the first 16 bytes of an HMAC-SHA256 of read: and the prefix", async () => {
  await using app = await memoryApp();
  for (const prefix of ["blog/", "a/b/", "日本/", "https://example.com/"]) {
    const { json } = await app.send(`GET /key?read=${encodeURIComponent(prefix)}`, authorized);
    deepStrictEqual(json, { read: prefix, key: readKey(prefix) });
  }
  const { json } = await app.send("GET /key?read=%20e%CC%81/%20", authorized);
  deepStrictEqual(json, { read: "é/", key: readKey("é/") });
  // Computed once with another tool: echo -n read:blog/ | openssl dgst -sha256 -hmac …
  strictEqual(readKey("blog/"), "WOjoFCP7FHhxu3H601XGXw");
});

for (
  const query of [
    ...["read=blog/&id=home", "read=blog/&id=", "read=blog/&prefix=blog/", "read=blog/&read=a/"],
    ...["read=", "read=blog", "read=a%00/", `read=${"a/".repeat(9)}`, `read=${"a".repeat(200)}/`],
  ]
) {
  Deno.test(`GET /key refuses ${query.slice(0, 40)}, with and without the secret`, async () => {
    await using app = await memoryApp();
    strictEqual((await app.send(`GET /key?${query}`)).status, 400);
    strictEqual((await app.send(`GET /key?${query}`, authorized)).status, 400);
  });
}

Deno.test("GET /key?read= requires the secret, and refuses every key", async () => {
  await using app = await memoryApp();
  strictEqual((await app.send("GET /key?read=a/")).status, 401);
  strictEqual((await app.send(`GET /key?read=a/&key=${readKey("a/")}`)).status, 401);
});

/** Throws if a read key opens more or less than the reads of the contract. */
async function checkOpened(app: TestApp, openReads: boolean): Promise<void> {
  const before = await app.send("GET /counters", authorized);
  const opened = new Set<string>();
  for (const { path, methods, access, subject } of tested) {
    const address = addressOf(path, subject);
    for (const method of methods.filter((method) => method !== "OPTIONS")) {
      const plain = await app.send(`${method} ${address}`);
      const { status } = await app.send(`${method} ${address}&key=${readKey("a/")}`);
      const where = `${method} ${path}`;
      if (access === "anyone" || openReads && access === "reader") {
        strictEqual(status, plain.status, where);
        continue;
      }
      ok([400, 401].includes(plain.status), where);
      if (status === 200) opened.add(path);
      else strictEqual(status, plain.status, where);
    }
  }
  const expected = openReads ? ["/top", "/p", "/p.json"] : OPENED;
  deepStrictEqual([...opened].toSorted(), expected.toSorted());
  deepStrictEqual(await app.send("GET /counters", authorized), before);
}

testApp("a read key where reads are open", { openReads: true }, {
  "opens the reads of the contract and nothing else": (app) => checkOpened(app, true),
});

testApp("a read key where reads are protected", { openReads: false }, {
  "opens the reads of the contract and nothing else": (app) => checkOpened(app, false),

  async "a response to a read key is private, and pages of any origin may read it without credentials"(
    app,
  ) {
    const origin = { origin: "https://blog.example" };
    for (const { path, subject } of tested.filter(({ path }) => OPENED.includes(path))) {
      const address = addressOf(path, subject);
      const { status, headers } = await app.send(`GET ${address}&key=${readKey("a/")}`, origin);
      strictEqual(status, 200, path);
      strictEqual(headers["cache-control"], "private, no-store", path);
      strictEqual(headers.etag, undefined, path);
      strictEqual(headers["access-control-allow-origin"], "*", path);
      strictEqual(headers["access-control-allow-credentials"], undefined, path);
      const owned = await app.send(`GET ${address}&key=${readKey("a/")}`, {
        ...origin,
        ...authorized,
      });
      strictEqual(
        owned.headers["access-control-allow-origin"],
        undefined,
        `${path} and the secret`,
      );
    }
  },

  async "a read key opens a chart of several counters only if every id is in its group"(app) {
    const status = async (ids: string) =>
      (await app.send(`GET /chart.svg?${ids}&kind=total&key=${readKey("a/")}`)).status;
    strictEqual(await status("id=a/b&id=a/c"), 200);
    for (const ids of ["id=a/b&id=x", "id=x&id=a/b", "id=a/b&id=a/c&id=a", "id=a/b&id="]) {
      strictEqual(await status(ids), 401, ids);
    }
  },

  async "keys that count open no read, and a read key counts nothing"(app) {
    for (const query of ["id=a/b", "prefix=a/"]) {
      const { json } = await app.send(`GET /key?${query}`, authorized);
      const key = field(json, "key");
      strictEqual((await app.send(`GET /count?id=a/b&key=${key}`)).status, 401, query);
      strictEqual((await app.send(`GET /p.json?prefix=a/&key=${key}`)).status, 401, query);
    }
    for (const line of ["POST /hit?id=a/b", "GET /hit.svg?id=a/b"]) {
      strictEqual((await app.send(`${line}&key=${readKey("a/")}`)).status, 401, line);
    }
    const leancloud = { "x-lc-id": "a", "x-lc-key": readKey("leancloud/a/") };
    const path = `GET /as/leancloud/1.1/classes/Counter?where={"url":"/"}`;
    strictEqual((await app.send(path, leancloud)).status, 401);
    strictEqual(await app.count("a/b"), 0);
  },
});

async function statusOf(app: TestApp, query: string, prefix: string): Promise<number> {
  return (await app.send(`GET ${query}&key=${readKey(prefix)}`)).status;
}

Deno.test("a read key opens its prefix and every prefix below it, and no other", async () => {
  await using app = await memoryApp({ openReads: false });
  for (const id of ["blog/a", "blog/", "blog/2026/a", "blog/2026/", "%20blog/a%20"]) {
    strictEqual(await statusOf(app, `/count?id=${id}`, "blog/"), 200, id);
  }
  for (const id of ["blog", "blogs/a", "Blog/a", "x/blog/a", "home", "", "blo", "/blog/a"]) {
    strictEqual(await statusOf(app, `/count?id=${id}`, "blog/"), 401, id);
  }
  for (const path of ["/count", "/top", "/p.json", "/days", "/card.svg"]) {
    strictEqual(await statusOf(app, `${path}?prefix=blog/`, "blog/"), 200, path);
    strictEqual(await statusOf(app, `${path}?prefix=blog/2026/`, "blog/"), 200, path);
    strictEqual(await statusOf(app, `${path}?prefix=blog/`, "blog/2026/"), 401, path);
    strictEqual(await statusOf(app, `${path}?prefix=blogs/`, "blog/"), 401, path);
  }
});

Deno.test("a read key opens /counts only if every id is in its group", async () => {
  await using app = await memoryApp({ openReads: false });
  strictEqual(await statusOf(app, "/counts?id=blog/a&id=blog/2026/b&id=blog/a", "blog/"), 200);
  strictEqual(await statusOf(app, "/counts?id=blog/a&id=other/b", "blog/"), 401);
  strictEqual(await statusOf(app, "/counts?id=other/b&id=blog/a", "blog/"), 401);
  strictEqual(await statusOf(app, "/counts?id=blog/a&i%64=home", "blog/"), 401);
  strictEqual(await statusOf(app, "/counts?id=blog/2026/b&id=blog/a", "blog/2026/"), 401);
});
