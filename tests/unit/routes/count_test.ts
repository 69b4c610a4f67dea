import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { field, memoryApp, memoryStore, openApp } from "../../support/app.ts";
import { ScriptedStore, STORE_FAILURES } from "../../support/scripted_store.ts";

const formats = [
  { query: "", type: "application/json" },
  { query: "&format=txt", type: "text/plain; charset=utf-8" },
  { query: "&format=text", type: "text/plain; charset=utf-8" },
  { query: "&form%61t=t%78t", type: "text/plain; charset=utf-8" },
  { query: "&format=json", type: "application/json" },
  { query: "&format=", type: "application/json" },
  { query: "&format=TXT", type: "application/json" },
  { query: "&format=texts", type: "application/json" },
  { query: "&format=xml", type: "application/json" },
  { query: "&Format=txt", type: "application/json" },
];

for (const { query, type } of formats) {
  Deno.test(`GET /count?id=a${query} answers with ${type}, and so do its errors`, async () => {
    const { store, kv } = await memoryStore();
    await using app = openApp({ store });
    await app.hit("a", 42);
    const { headers, body } = await app.send(`GET /count?id=a${query}`);
    strictEqual(headers["content-type"], type);
    const json = type === "application/json";
    strictEqual(body, json ? '{"id":"a","hits":42,"source":"memory"}' : "42");

    await kv.set(["hits:", "foreign"], "text");
    for (const [id, status] of [["%00", 400], ["a&id=b", 400], ["foreign", 409]] as const) {
      const error = await app.send(`GET /count?id=${id}${query}`);
      strictEqual(error.status, status);
      strictEqual(error.headers["content-type"], json ? "application/problem+json" : type, id);
    }
  });
}

Deno.test("GET /count.txt answers with the number alone, and with text where it fails", async () => {
  await using app = await memoryApp();
  await app.hit("a", 42);
  strictEqual((await app.send("GET /count.txt?id=a")).body, "42");
  const { status, headers, body } = await app.send("GET /count.txt?id=%00");
  strictEqual(status, 400);
  strictEqual(headers["content-type"], "text/plain; charset=utf-8");
  match(body, /^Bad counter id: /);
});

Deno.test("reads of a counter that was never hit are 0, 200 everywhere, and write nothing", async () => {
  const { store, kv } = await memoryStore();
  await using app = openApp({ store });
  for (const id of ["never", "", "__proto__", "*"]) {
    const query = `?id=${id}`;
    const shown = id === "" ? "home" : id;
    deepStrictEqual((await app.send(`GET /count${query}`)).json, {
      id: shown,
      hits: 0,
      source: "memory",
    });
    strictEqual((await app.send(`GET /count${query}&format=txt`)).body, "0");
    strictEqual((await app.send(`GET /count.txt${query}`)).body, "0");
    match((await app.send(`GET /badge${query}`)).body, />views: 0</);
    strictEqual(field((await app.send(`GET /badge.json${query}`)).json, "message"), "0");
  }
  deepStrictEqual(await Array.fromAsync(kv.list({ prefix: [] })), []);
});

for (const { failure, status } of STORE_FAILURES) {
  Deno.test(`/count and /count.txt answer ${status} where the store says ${failure}, whatever was seen`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store });
    await app.hit("a", 5);
    store.failure = failure;
    for (const path of ["/count?id=a", "/count?id=a&format=txt", "/count.txt?id=a", "/count"]) {
      const answer = await app.send(`GET ${path}`);
      strictEqual(answer.status, status, path);
      strictEqual(answer.headers["retry-after"], status === 503 ? "1" : undefined);
      strictEqual(answer.headers["x-tallymark"], failure);
      strictEqual((await app.send(`HEAD ${path}`)).status, status);
    }
    store.failure = undefined;
    strictEqual(await app.count("a"), 5);
  });
}

Deno.test("HEAD of a read has the headers of GET and no body", async () => {
  await using app = await memoryApp();
  await app.hit("a");
  const reads = [
    "/count",
    "/count?format=txt",
    "/count.txt",
    "/badge",
    "/badge.json",
    "/count?id=%00",
  ];
  for (const path of reads) {
    const get = await app.send(`GET ${path}`);
    const head = await app.send(`HEAD ${path}`);
    strictEqual(head.status, get.status);
    deepStrictEqual(head.headers, get.headers);
    strictEqual(head.body, "");
  }
});

const protectedReads = ["/count", "/count?format=txt", "/count.txt", "/badge", "/badge.json"];

Deno.test("the 401 of a protected read names the setting that opens reads", async () => {
  await using app = await memoryApp({ openReads: false });
  for (const path of protectedReads) {
    match((await app.send(`GET ${path}`)).body, /PUBLIC_READS(=|&#61;)1/, path);
  }
});
