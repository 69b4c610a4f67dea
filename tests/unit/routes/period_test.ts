import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { field, memoryApp, openApp, type TestApp } from "../../support/app.ts";
import { ScriptedStore } from "../../support/scripted_store.ts";
import { authorized } from "../../support/secret.ts";
import { type Day, DAY_MS, formatDay, parseDay } from "../../../src/domain/history.ts";

/** The app at noon of a day, whose counter "a" has so many hits on each day of a history. */
async function openWith(
  { now, days }: { now: string; days: Record<string, number> },
): Promise<TestApp & { later(days: number): void }> {
  let time = Date.parse(`${now}T12:00:00Z`);
  const calendar = createCalendar("UTC", () => time);
  const app = await memoryApp({ calendar });
  const body = JSON.stringify({ hits: 10_000, days });
  const { status } = await app.sendBody("PUT /counters?id=a", body);
  strictEqual(status, 200);
  return { ...app, later: (days) => void (time += days * DAY_MS) };
}

/** One hit on each of many days is a number of its own in every sum. */
const DAYS = {
  "2025-11-20": 2000, // just out of 365d
  "2025-11-21": 1000,
  "2025-12-31": 500,
  "2026-01-01": 200,
  "2026-10-21": 100, // just out of 30d
  "2026-10-22": 50,
  "2026-11-01": 20,
  "2026-11-13": 10, // just out of 7d
  "2026-11-14": 5,
  "2026-11-19": 2,
  "2026-11-20": 1,
};

const periods = [
  { period: "today", hits: 1 },
  { period: "yesterday", hits: 2 },
  { period: "7d", hits: 1 + 2 + 5 },
  { period: "30d", hits: 1 + 2 + 5 + 10 + 20 + 50 },
  { period: "365d", hits: 1 + 2 + 5 + 10 + 20 + 50 + 100 + 200 + 500 + 1000 },
  { period: "month", hits: 1 + 2 + 5 + 10 + 20 },
  { period: "year", hits: 1 + 2 + 5 + 10 + 20 + 50 + 100 + 200 },
  { period: "total", hits: 10_000 },
];

for (const { period, hits } of periods) {
  Deno.test(`period=${period} is ${hits} hits on every read`, async () => {
    await using app = await openWith({ now: "2026-11-20", days: DAYS });
    const query = `?id=a&period=${period}`;
    deepStrictEqual((await app.send(`GET /count${query}`)).json, {
      id: "a",
      hits,
      source: "memory",
      period,
    });
    strictEqual((await app.send(`GET /count${query}&format=txt`)).body, String(hits));
    strictEqual((await app.send(`GET /count.txt${query}`)).body, String(hits));
    match((await app.send(`GET /badge${query}`)).body, new RegExp(`>views: ${hits}<`));
    strictEqual(field((await app.send(`GET /badge.json${query}`)).json, "message"), String(hits));
  });
}

Deno.test("a read without a period is the total, and says nothing of a period", async () => {
  await using app = await openWith({ now: "2026-11-20", days: DAYS });
  deepStrictEqual((await app.send("GET /count?id=a")).json, {
    id: "a",
    hits: 10_000,
    source: "memory",
  });
});

Deno.test("show=today/total shows both numbers on the badges, written as every number", async () => {
  await using app = await openWith({ now: "2026-11-20", days: DAYS });
  await app.hit("a", 11);
  const query = "?id=a&show=today/total&numbers=grouped";
  match((await app.send(`GET /badge${query}`)).body, />views: 12 \/ 10,011</);
  strictEqual(field((await app.send(`GET /badge.json${query}`)).json, "message"), "12 / 10,011");
  match((await app.send("GET /badge?id=never&show=today/total")).body, />views: 0 \/ 0</);
});

Deno.test("show=today/total shows both numbers on the counting image, the total being the hit's own", async () => {
  await using app = await openWith({ now: "2026-11-20", days: DAYS });
  const line = "GET /hit.svg?id=a&show=today/total&numbers=grouped";
  match((await app.send(line, authorized)).body, />views: 2 \/ 10,001</);
  match((await app.send(`${line}&spark=7`, authorized)).body, />views: 3 \/ 10,002</);
  match(
    (await app.send(line.replace("GET", "HEAD"), authorized)).headers["content-type"] ?? "",
    /svg/,
  );
  strictEqual(await app.count("a"), 10_002);
  const refused = await app.send("GET /hit.svg?id=a&show=days", authorized);
  deepStrictEqual([refused.status, refused.headers["x-tallymark"]], [400, "bad-query"]);
  strictEqual(await app.count("a"), 10_002);
});

Deno.test("a period moves with the day: what was today is yesterday, and the badge has another ETag", async () => {
  await using app = await openWith({ now: "2026-11-20", days: DAYS });
  const line = "GET /badge?id=a&period=today";
  const { headers } = await app.send(line);
  const etag = headers.etag ?? "";
  strictEqual((await app.send(line, { "if-none-match": etag })).status, 304);
  app.later(1);
  match((await app.send(line, { "if-none-match": etag })).body, />views: 0</);
  strictEqual((await app.send("GET /count.txt?id=a&period=yesterday")).body, "1");
  app.later(41);
  strictEqual((await app.send("GET /count.txt?id=a&period=year")).body, "0");
  strictEqual((await app.send("GET /count.txt?id=a&period=30d")).body, "0");
});

const refused = [
  ...["/count?period=", "/count?period=week", "/count.txt?period=Today", "/badge?period=1d"],
  ...["/badge.json?period=7D", "/count?period=7d&period=7d", "/count?period=constructor"],
  ...["/badge?show=total", "/badge.json?show=", "/badge?show=today/total&period=7d"],
  "/badge.json?show=today/total&period=total",
];

for (const line of refused) {
  Deno.test(`${line} is 400 before the secret and the store: it would be another number`, async () => {
    const store = new ScriptedStore();
    await using app = openApp({ store, openReads: false });
    const { status, headers } = await app.send(`GET ${line}`);
    deepStrictEqual([status, headers["x-tallymark"]], [400, "bad-query"]);
    strictEqual(store.touched, 0);
  });
}

Deno.test("the badges show the last numbers of a period that they showed while the store is away, and no total for it", async () => {
  const store = new ScriptedStore();
  await using app = openApp({ store });
  await app.hit("a", 5);
  for (const path of ["/badge", "/badge.json"]) {
    for (const query of ["?id=a&period=7d", "?id=a&show=today/total"]) {
      const shown = await app.send(`GET ${path}${query}`);
      store.failure = "store-unavailable";
      const stale = await app.send(`GET ${path}${query}`);
      deepStrictEqual([stale.status, stale.headers["x-tallymark"]], [200, "stale"]);
      strictEqual(stale.body, shown.body);
      strictEqual((await app.send(`GET ${path}?id=a&period=30d`)).status, 503);
      store.failure = undefined;
    }
  }
});

/** Hits on some days, which are different in most weeks. */
function hitsOn(day: Day): number {
  return 1 + day * day % 13;
}

/** The sum of so many days, the last of which was `back` days before a day. */
function sumOf(count: number, today: Day, back: number): number {
  return Array.from({ length: count }, (_, index) => hitsOn(today - back - index))
    .reduce((sum, hits) => sum + hits);
}

/** The trend as a screen reader says it. */
function trendOn(today: Day): string {
  const [last, before] = [sumOf(7, today, 1), sumOf(7, today, 8)];
  const percent = Math.round(100 * (last - before) / before);
  if (percent === 0) return "steady in 7 days";
  return `${percent > 0 ? "up" : "down"} ${Math.abs(percent)}% in 7 days`;
}

for (
  const today of ["2025-12-31", "2026-01-01", "2026-01-02", "2026-01-07", "2026-01-08"].concat(
    ["2026-01-13", "2026-01-14", "2026-01-15", "2026-01-16", "2025-01-14", "2025-01-01"],
  )
) {
  Deno.test(`on ${today}, badges and the card show the trend of the last two weeks, whatever year they were in`, async () => {
    const newest = parseDay(today) ?? NaN;
    const calendar = createCalendar("UTC", () => newest * DAY_MS);
    await using app = await memoryApp({ calendar });
    const days = Object.fromEntries(
      Array.from({ length: 50 }, (_, back) => [formatDay(newest - back), hitsOn(newest - back)]),
    );
    const { status } = await app.sendBody(
      "POST /counters",
      `${JSON.stringify({ id: "a/b", hits: 5000, days })}\n`,
    );
    ok(status === 200);
    const trend = new RegExp(trendOn(newest));
    for (const spark of [7, 14, 15, 30]) {
      for (const subject of ["id=a/b", "prefix=a/"]) {
        const query = `${subject}&style=pill&spark=${spark}`;
        match((await app.send(`GET /badge?${query}`)).body, trend, query);
        match((await app.send(`GET /badge?${query}&show=today/total`)).body, trend, query);
        match((await app.send(`GET /badge?${query}&period=today`)).body, trend, query);
      }
    }
    for (const subject of ["id=a/b", "prefix=a/"]) {
      match((await app.send(`GET /card.svg?${subject}`)).body, trend, subject);
    }
    const image = await app.send("GET /hit.svg?id=a/b&style=pill&spark=7", authorized);
    match(image.body, trend);
  });
}
