import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { field, memoryApp, memoryStore, openApp, type TestApp } from "../../support/app.ts";
import { fakeClock } from "../../support/fake_clock.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";
import { counterId } from "../../../src/domain/counter_id.ts";
import type { ListedCounter, ListPage } from "../../../src/domain/store.ts";

const NOON = Date.parse("2026-11-23T12:00:00Z");

/** Returns the app with a group of three counters, and one counter outside the group. */
async function openWith({ openReads = true } = {}): Promise<TestApp> {
  const calendar = createCalendar("UTC", () => NOON);
  const app = await memoryApp({ calendar, openReads });
  for (
    const [id, hits, days] of [
      ["blog/a", 120, { "2026-11-22": 20 }],
      ["blog/b", 220, { "2026-10-01": 200, "2026-11-22": 7 }],
      ["blog/deep/c", 5, undefined],
      ["blog", 10_000, undefined],
    ]
  ) {
    const body = JSON.stringify({ hits, days });
    strictEqual((await app.sendBody(`PUT /counters?id=${id}`, body)).status, 200);
  }
  await app.hit("blog/a", 3);
  return app;
}

Deno.test("GET /count?prefix= gives the sum of a group and how many counters it has", async () => {
  await using app = await openWith();
  strictEqual(
    (await app.send("GET /count?prefix=blog/")).body,
    '{"prefix":"blog/","hits":348,"counters":3,"source":"memory"}',
  );
  strictEqual((await app.send("GET /count?prefix=%20blog/&format=txt")).body, "348");
  strictEqual((await app.send("GET /count.txt?prefix=blog/")).body, "348");
  strictEqual(
    (await app.send("GET /count?prefix=nobody/")).body,
    '{"prefix":"nobody/","hits":0,"counters":0,"source":"memory"}',
  );
  strictEqual((await app.send("GET /count.txt?prefix=blog/deep/")).body, "5");
});

for (
  const [period, hits] of [["today", 3], ["yesterday", 27], ["30d", 30], ["year", 230], [
    "total",
    348,
  ]]
) {
  Deno.test(`prefix= with period=${period} is ${hits} hits on every read`, async () => {
    await using app = await openWith();
    const query = `prefix=blog/&period=${period}`;
    deepStrictEqual((await app.send(`GET /count?${query}`)).json, {
      prefix: "blog/",
      hits,
      counters: 3,
      source: "memory",
      period,
    });
    strictEqual((await app.send(`GET /count.txt?${query}`)).body, String(hits));
    strictEqual(field((await app.send(`GET /badge.json?${query}`)).json, "message"), String(hits));
    match((await app.send(`GET /badge?${query}`)).body, new RegExp(`>${hits}<`));
  });
}

Deno.test("badges, charts and days show a group as if it were one counter", async () => {
  await using app = await openWith();
  match((await app.send("GET /badge?prefix=blog/&show=today/total")).body, />3 \/ 348</);
  match((await app.send("GET /badge?prefix=blog/&spark=7")).body, />348</);
  match((await app.send("GET /chart.svg?prefix=blog/&range=30d")).body, />348</);
  strictEqual((await app.send("GET /calendar.svg?prefix=blog/")).status, 200);
  match((await app.send("GET /card.svg?prefix=blog/")).body, /blog\//);
  deepStrictEqual((await app.send("GET /days?prefix=blog/&from=2026-11-22")).json, {
    prefix: "blog/",
    total: 348,
    timeZone: "UTC",
    days: [{ day: "2026-11-22", hits: 27 }, { day: "2026-11-23", hits: 3 }],
  });
});

for (
  const query of [
    ...["prefix=blog", "prefix=", "prefix=blog/&id=a", "id=&prefix=blog/", "prefix=a%00/"],
    ...["prefix=a/&prefix=b/", "prefix=1/2/3/4/5/6/7/8/9/"],
  ]
) {
  Deno.test(`reads refuse ${query} before they ask for the secret, and ask the store for nothing`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store, openReads: false });
    const paths = ["/count", "/count.txt", "/badge", "/badge.json", "/chart.svg", "/calendar.svg"];
    // These know no id, and ignore it.
    const top = /\bid=/.test(query) ? [] : ["/top", "/p.json"];
    for (const path of [...paths, "/card.svg", "/days", ...top]) {
      strictEqual((await app.send(`GET ${path}?${query}`)).status, 400, path);
    }
    strictEqual(store.touched, 0);
  });
}

Deno.test("prefix= asks for the secret where reads are protected", async () => {
  await using app = await openWith({ openReads: false });
  strictEqual((await app.send("GET /count?prefix=blog/")).status, 401);
  strictEqual((await app.send("GET /count?prefix=blog/", authorized)).status, 200);
});

Deno.test("while the store is away badges show the last sum as stale, and /count is 503", async () => {
  await using clock = fakeClock();
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("blog/a", 3);
  for (const path of ["/badge", "/badge.json"]) {
    strictEqual((await app.send(`GET ${path}?prefix=blog/`)).headers["x-tallymark"], undefined);
  }
  store.failure = "store-unavailable";
  // The cached sums expire after ten seconds.
  clock.pass(11_000);
  const badge = await app.send("GET /badge?prefix=blog/");
  strictEqual(badge.status, 200);
  strictEqual(badge.headers["x-tallymark"], "stale");
  strictEqual(badge.headers["cache-control"], "no-store");
  match(badge.body, />3</);
  const json = await app.send("GET /badge.json?prefix=blog/");
  strictEqual(field(json.json, "message"), "3");
  strictEqual(json.headers["x-tallymark"], "stale");
  for (const path of ["/count", "/count.txt", "/days", "/badge"]) {
    const other = path === "/badge" ? "other/" : "blog/";
    strictEqual((await app.send(`GET ${path}?prefix=${other}`)).status, 503, path);
  }
});

Deno.test("GET /top lists the counters of a group with the most hits, of equals the lesser id", async () => {
  await using app = await openWith();
  await app.sendBody("PUT /counters?id=blog/0", '{"hits":123}');
  deepStrictEqual((await app.send("GET /top?prefix=blog/&limit=3", authorized)).json, {
    prefix: "blog/",
    period: "total",
    counters: [
      { id: "blog/b", hits: 220 },
      { id: "blog/0", hits: 123 },
      { id: "blog/a", hits: 123 },
    ],
    source: "memory",
  });
  deepStrictEqual(
    field((await app.send("GET /top?prefix=blog/&period=30d", authorized)).json, "counters"),
    [
      { id: "blog/a", hits: 23 },
      { id: "blog/b", hits: 7 },
      { id: "blog/0", hits: 0 },
      { id: "blog/deep/c", hits: 0 },
    ],
  );
});

Deno.test("GET /top lists ten counters where no limit is given, and a hundred at most", async () => {
  await using app = openApp({ store: new ScriptedStore() });
  for (let index = 0; index < 11; index++) await app.hit(`blog/${index}`);
  const { json } = await app.send("GET /top?prefix=blog/", authorized);
  strictEqual(JSON.stringify(field(json, "counters")).match(/"id"/g)?.length, 10);
  for (const limit of ["0", "101", "-1", "1.5", "", "ten", "007"]) {
    strictEqual((await app.send(`GET /top?prefix=blog/&limit=${limit}`, authorized)).status, 400);
  }
  strictEqual((await app.send("GET /top?prefix=blog/&limit=100", authorized)).status, 200);
});

Deno.test("GET /top takes the key of its group, and not that of the counter with the name of the group", async () => {
  await using app = await memoryApp();
  for (const [query, status] of [["prefix=blog/", 200], ["id=blog/", 401]] as const) {
    const { json } = await app.send(`GET /key?${query}`, authorized);
    const answer = await app.send(`GET /top?prefix=blog/&key=${field(json, "key")}`);
    strictEqual(answer.status, status, query);
  }
});

/** A store whose list gives these counters in this order, as Redis gives them in any order. */
class ListedStore extends ScriptedStore {
  constructor(readonly counters: readonly ListedCounter[]) {
    super();
  }

  override async *list(): AsyncGenerator<ListPage> {
    for (let start = 0; start < this.counters.length; start += 500) {
      yield { counters: this.counters.slice(start, start + 500), foreign: 0 };
    }
  }
}

function listed(number: number, hits: number): ListedCounter {
  return { id: counterId(`blog/${String(number).padStart(4, "0")}`), hits, days: undefined };
}

const orders: [name: string, sort: (numbers: number[]) => number[]][] = [
  ["by id", (numbers) => numbers],
  ["by id, the last first", (numbers) => numbers.toReversed()],
  // 1,009 is prime, so that ids come in no order.
  ["in no order", (numbers) => numbers.map((_, index) => index * 1009 % numbers.length)],
];

for (const [name, sort] of orders) {
  Deno.test(`GET /top?limit=100 ranks ties at rank 100 by id, of 5,000 counters listed ${name}`, async () => {
    const numbers = sort(Array.from({ length: 5000 }, (_, index) => index));
    // 30 counters are ahead of all others, which share their number of hits.
    const hitsOf = (number: number) => number % 100 === 7 && number < 3000 ? 9 : 4;
    await using app = openApp({
      store: new ListedStore(numbers.map((number) => listed(number, hitsOf(number)))),
    });
    const { json } = await app.send("GET /top?prefix=blog/&limit=100", authorized);
    const all = numbers.toSorted((a, b) => hitsOf(b) - hitsOf(a) || a - b);
    deepStrictEqual(
      field(json, "counters"),
      all.slice(0, 100).map((number) => ({ id: listed(number, 0).id, hits: hitsOf(number) })),
    );
  });
}

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
