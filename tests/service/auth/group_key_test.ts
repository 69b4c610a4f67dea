import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { counterId } from "../../../src/domain/counter_id.ts";
import { prefixesOf } from "../../../src/auth/keys.ts";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { STORES } from "../security/target.ts";
import { field, memoryApp, type TestApp } from "../../support/app.ts";
import { startLocalService } from "../../support/local_service.ts";
import { startRedis } from "../../support/redis_server.ts";
import { authorized, keyOf, SECRET } from "../../support/secret.ts";

function groupKey(prefix: string): string {
  return keyOf(`prefix:${prefix}`);
}

/** Reports whether the key of a prefix opens an id. */
async function opens(prefix: string, id: string): Promise<boolean> {
  await using app = await memoryApp();
  const line = `POST /hit?id=${encodeURIComponent(id)}&key=${groupKey(prefix)}`;
  return (await app.send(line)).status === 200;
}

const prefixes = ["blog/", "/", "a/b/", "https://example.com/", "日本/", "  blog/", "%2e/"];

for (const prefix of prefixes) {
  Deno.test(`GET /key gives the key of the prefix ${prefix}`, async () => {
    await using app = await memoryApp();
    const line = `GET /key?prefix=${encodeURIComponent(prefix)}`;
    const { status, json } = await app.send(line, authorized);
    strictEqual(status, 200);
    const normal = prefix.trim();
    deepStrictEqual(json, { prefix: normal, key: groupKey(normal) });
  });
}

const refused = [
  ...["prefix=", "prefix=blog", "prefix=blog/x", "prefix=%00/", "prefix=%ff/", "prefix=%20"],
  ...["prefix=blog/&id=home", "prefix=blog/&id=", "prefix=a/&prefix=b/"],
  `prefix=${"a".repeat(200)}/`,
  // The key of a prefix this deep is never tried, so it would open nothing.
  `prefix=${"a/".repeat(9)}`,
];

for (const query of refused) {
  Deno.test(`GET /key refuses ${query.slice(0, 40)}, whoever asks`, async () => {
    await using app = await memoryApp();
    strictEqual((await app.send(`GET /key?${query}`)).status, 400);
    strictEqual((await app.send(`GET /key?${query}`, authorized)).status, 400);
  });
}

const members: [prefix: string, id: string][] = [
  ["blog/", "blog/post"],
  ["blog/", "blog/"],
  ["blog/", "blog/2026/post"],
  ["blog/2026/", "blog/2026/post"],
  ["blog/", " blog/post "],
  ["/", "/x"],
  ["https://", "https://example.com/"],
  ["a/b/c/d/e/f/g/h/", "a/b/c/d/e/f/g/h/i/j"],
];

for (const [prefix, id] of members) {
  Deno.test(`the key of ${prefix} opens "${id}"`, async () => {
    ok(await opens(prefix, id));
  });
}

const strangers: [prefix: string, id: string][] = [
  ["blog/", "blog"],
  ["blog/", "blogs/post"],
  ["blog/", "Blog/post"],
  ["blog/", "x/blog/post"],
  ["blog/2026/", "blog/post"],
  ["blog/", "home"],
  ["a/b/c/d/e/f/g/h/i/", "a/b/c/d/e/f/g/h/i/j"],
];

for (const [prefix, id] of strangers) {
  Deno.test(`the key of ${prefix} does not open "${id}"`, async () => {
    ok(!await opens(prefix, id));
  });
}

Deno.test("the keys that version 1.1.0 gave still count", async () => {
  await using app = await memoryApp();
  // A counter key and a group key of this secret, as that version computed them.
  const keys = [["blog/post", "oHWlhgSTDxZE64--qROjJg"], ["blog/new", "SJ9V8W7wDKkpmmjKHjm-2g"]];
  for (const [id, key] of keys) {
    strictEqual((await app.send(`POST /hit?id=${id}&key=${key}`)).status, 200, id);
  }
});

Deno.test("a counter key opens no prefix, and a group key does not open the counter of its name", async () => {
  await using app = await memoryApp();
  const { json } = await app.send(`GET /key?id=${encodeURIComponent("blog/")}`, authorized);
  const own = field(json, "key");
  strictEqual((await app.send(`GET /hit?id=blog/&key=${own}`)).status, 200);
  strictEqual((await app.send(`GET /hit?id=blog/post&key=${own}`)).status, 401);
  strictEqual((await app.send(`GET /key?prefix=blog/&key=${groupKey("blog/")}`)).status, 401);
  strictEqual((await app.send(`GET /count?id=blog/a&token=${groupKey("blog/")}`)).status, 200);
  strictEqual(await app.count("blog/post"), 0);
});

Deno.test("prefixesOf() are the first eight beginnings that end in a slash, the shortest first", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "b", "/", "é", "日"), maxLength: 20 });
  fc.assert(
    fc.property(part, (text) => {
      const id = counterId(text);
      const expected = [...id].map((_, end) => [...id].slice(0, end + 1).join(""))
        .filter((prefix) => prefix.endsWith("/")).slice(0, 8);
      deepStrictEqual(prefixesOf(id), expected);
    }),
  );
});

Deno.test("GROUP_LIMIT=0: a group key creates no counter, and counts existing ones", async () => {
  await using app = await memoryApp({ groupLimit: 0 });
  const hit = hitterOf(app);
  const { status, json, headers } = await app.send(`POST /hit?id=a/1&key=${groupKey("a/")}`);
  strictEqual(status, 403);
  strictEqual(field(json, "type"), "urn:problem-type:tallymark:group-full");
  strictEqual(headers["x-tallymark"], "group-full");
  strictEqual(await app.count("a/1"), 0);
  // The counter's own key is not limited.
  strictEqual((await app.send(`POST /hit?id=a/2&key=${keyOf("counter:a/2")}`)).status, 200);
  await app.hit("a/1");
  strictEqual(await hit("a/1"), 200);
  strictEqual(await app.count("a/1"), 2);
});

Deno.test("of many hits at once on new counters, no more create one than GROUP_LIMIT allows", async () => {
  await using app = await memoryApp({ groupLimit: 3 });
  const hit = hitterOf(app);
  strictEqual(await hit("a/old"), 200);
  const ids = [...Array(30).keys().map((number) => `a/${number}`), ...Array(30).fill("a/old")];
  const statuses = await Promise.all(ids.map(hit));
  strictEqual(statuses.slice(0, 30).filter((status) => status === 200).length, 2);
  deepStrictEqual(new Set(statuses.slice(30)), new Set([200]));
  strictEqual(await app.count("a/old"), 31);
});

Deno.test("a full prefix is logged once a day, counted in /metrics each time, and can create counters the next day", async () => {
  let now = Date.UTC(2026, 10, 20, 12);
  const calendar = createCalendar("UTC", () => now);
  await using app = await memoryApp({ groupLimit: 2, calendar });
  const hit = hitterOf(app);
  deepStrictEqual([await hit("a/1"), await hit("a/2"), await hit("b/1")], [200, 200, 200]);
  deepStrictEqual(app.log, []);
  deepStrictEqual([await hit("a/3"), await hit("a/4"), await hit("a/3")], [403, 403, 403]);
  deepStrictEqual(app.log.map(reportOf), [{ level: "warn", group: "a/", limit: 2 }]);
  match((await app.send("GET /metrics", authorized)).body, /^tallymark_group_full_total 3$/m);
  now += 86_400_000;
  deepStrictEqual([await hit("a/3"), await hit("a/4")], [200, 200]);
  strictEqual(app.log.length, 1);
  deepStrictEqual([await hit("a/5"), await hit("a/6")], [403, 403]);
  match((await app.send("GET /metrics", authorized)).body, /^tallymark_group_full_total 5$/m);
});

/** Sends hits with the key of their prefix. */
function hitterOf(app: TestApp): (id: string) => Promise<number> {
  return async (id) => {
    const key = groupKey(id.slice(0, id.indexOf("/") + 1));
    return (await app.send(`POST /hit?id=${id}&key=${key}`)).status;
  };
}

function reportOf(line: string): unknown {
  const { level, group, limit } = JSON.parse(line);
  return { level, group, limit };
}

for (const { store, options } of STORES) {
  Deno.test({
    name:
      `GROUP_LIMIT on ${store}: a counter that its owner set to 0 exists, one that was deleted does not`,
    ...options,
    async fn() {
      await using redis = store === "redis" ? await startRedis() : undefined;
      const env = { SECRET_TOKEN: SECRET, GROUP_LIMIT: "1", STORE_URL: redis?.url ?? "memory:" };
      await using target = await startLocalService(env);
      // The client of Redis takes a while to load.
      strictEqual(await statusOf(`${target.url}/readyz`), 200);
      const send = async (method: string, pathAndQuery: string, body?: string) => {
        const init = { method, headers: authorized, ...body !== undefined && { body } };
        return await statusOf(`${target.url}${pathAndQuery}`, init);
      };
      const hit = (id: string) =>
        statusOf(`${target.url}/hit?id=${id}&key=${groupKey("a/")}`, {
          method: "POST",
          // By its own name Deno is a crawler, whose hits do not count.
          headers: { "user-agent": "Mozilla/5.0 (Windows NT 10.0; rv:148.0) Gecko Firefox/148.0" },
        });
      strictEqual(await send("PUT", "/counters?id=a/set", '{"hits":0}'), 200);
      strictEqual(await send("PUT", "/counters?id=a/gone", '{"hits":5}'), 200);
      strictEqual(await send("DELETE", "/counters?id=a/gone"), 200);
      deepStrictEqual([await hit("a/1"), await hit("a/2")], [200, 403]);
      deepStrictEqual([await hit("a/gone"), await hit("a/set")], [403, 200]);
    },
  });
}

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.body?.cancel();
  return response.status;
}
