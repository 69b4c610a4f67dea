import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { memoryApp, memoryStore, openApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";

Deno.test("GET /counts gives the counts in the order of the request, each id once", async () => {
  const { store } = await memoryStore();
  await using app = openApp({ store });
  await app.hit("a", 3);
  await app.hit("7", 2);
  const { body, headers, status } = await app.send("GET /counts?id=b&id=a&id=%61&id=7&id=a");
  strictEqual(status, 200);
  strictEqual(body, '{"counts":{"b":0,"a":3,"7":2},"source":"memory"}');
  strictEqual(headers["content-type"], "application/json");
  strictEqual(headers["cache-control"], "no-store");
  strictEqual(headers["access-control-allow-origin"], "*");
});

Deno.test("GET /counts takes hostile ids as names, one of them the usual name of a prototype", async () => {
  const { store } = await memoryStore();
  await using app = openApp({ store });
  await app.hit("__proto__", 2);
  await app.hit('"},"a":{', 1);
  const ids = ["__proto__", "constructor", '"},"a":{', "", "2", "1"].map(encodeURIComponent);
  const { body } = await app.send(`GET /counts?id=${ids.join("&id=")}`);
  strictEqual(
    body,
    '{"counts":{"__proto__":2,"constructor":0,"\\"},\\"a\\":{":1,"home":0,"2":0,"1":0},"source":"memory"}',
  );
});

Deno.test("GET /counts has null for what the store holds that is not a counter", async () => {
  const { store, kv } = await memoryStore();
  await using app = openApp({ store });
  await app.hit("a");
  await kv.set(["hits:", "foreign"], "text");
  strictEqual(
    (await app.send("GET /counts?id=foreign&id=a")).body,
    '{"counts":{"foreign":null,"a":1},"source":"memory"}',
  );
});

Deno.test("GET /counts asks the store once for a hundred counters", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  const ids = Array.from({ length: 100 }, (_, index) => `id=n${index}`);
  strictEqual((await app.send(`GET /counts?${ids.join("&")}`)).status, 200);
  deepStrictEqual([store.calls.read, store.touched], [1, 1]);
  strictEqual((await app.send(`GET /counts?${ids.join("&")}&period=7d`)).status, 200);
  deepStrictEqual([store.calls.history, store.touched], [1, 2]);
});

Deno.test("GET /counts gives the hits of a period where one is asked for", async () => {
  const calendar = createCalendar("UTC");
  await using app = await memoryApp({ calendar });
  await app.sendBody("PUT /counters?id=a", JSON.stringify({ hits: 100, days: {} }));
  await app.hit("a", 2);
  strictEqual(
    (await app.send("GET /counts?id=a&id=b&period=today")).body,
    '{"counts":{"a":2,"b":0},"source":"memory","period":"today"}',
  );
});

for (
  const [what, query] of [
    ["no id", ""],
    ["101 ids", Array.from({ length: 101 }, (_, index) => `id=${index}`).join("&")],
    ["101 times the same id", Array(101).fill("id=a").join("&")],
    ["a bad id among good ones", "id=a&id=%00&id=b"],
    ["an id that is no UTF-8", "id=a&id=%ff"],
    ["an unknown period", "id=a&period=8d"],
    ["two periods", "id=a&period=7d&period=30d"],
  ]
) {
  Deno.test(`GET /counts with ${what} is 400 and asks the store for nothing`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store, openReads: false });
    const { status, json } = await app.send(`GET /counts?${query}`);
    strictEqual(status, 400);
    ok(json !== undefined);
    strictEqual(store.touched, 0);
  });
}

Deno.test("GET /counts is protected as all reads are, and 503 where the store is away", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store, openReads: false });
  strictEqual((await app.send("GET /counts?id=a")).status, 401);
  const { status, headers } = await app.send("GET /counts?id=a", authorized);
  strictEqual(status, 200);
  strictEqual(headers["cache-control"], "private, no-store");
  strictEqual(headers["access-control-allow-origin"], undefined);
  store.failure = "store-unavailable";
  strictEqual((await app.send("GET /counts?id=a", authorized)).status, 503);
});
