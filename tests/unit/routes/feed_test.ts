import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { memoryApp } from "../../support/app.ts";

const MONDAY = "2026-11-23";

/** Returns the app on a day with a counter that has 90 views without a day. */
async function openOn(day: string, timeZone = "UTC", id = "blog/a&b") {
  const calendar = createCalendar(timeZone, () => Date.parse(`${day}T12:00:00Z`));
  const app = await memoryApp({ calendar });
  const days = { "2026-11-08": 5, "2026-11-12": 10, "2026-11-17": 400, "2026-11-22": 20 };
  const body = JSON.stringify({ hits: 90 + 435, days });
  strictEqual((await app.sendBody(`PUT /counters?id=${encodeURIComponent(id)}`, body)).status, 200);
  return app;
}

/** Returns the texts of all elements with a name. */
function all(xml: string, name: string): (string | undefined)[] {
  return [...xml.matchAll(RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) => text);
}

Deno.test("GET /feed.atom has an entry for each milestone and each finished week, the latest first", async () => {
  await using app = await openOn(MONDAY);
  const { body, headers } = await app.send("GET /feed.atom?id=blog/a%26b");
  strictEqual(headers["content-type"], "application/atom+xml; charset=utf-8");
  match(
    body,
    /^<\?xml version="1.0" encoding="utf-8"\?>\n<feed xmlns="http:..www.w3.org.2005.Atom">/,
  );
  deepStrictEqual(all(body, "title"), [
    "Views of blog/a&amp;b",
    "blog/a&amp;b: 420 views in the week of 2026-11-16 (+4100 %)",
    "blog/a&amp;b: 200 views",
    "blog/a&amp;b: 500 views",
    "blog/a&amp;b: 10 views in the week of 2026-11-09",
    "blog/a&amp;b: 100 views",
  ]);
  deepStrictEqual(all(body, "updated").map((time) => time?.slice(0, 10)), [
    MONDAY,
    MONDAY,
    "2026-11-17",
    "2026-11-17",
    "2026-11-16",
    "2026-11-12",
  ]);
});

Deno.test("GET /feed.atom keeps ids and times of its entries, for a group too, and says what is unchanged", async () => {
  const entriesOf = (xml: string) => xml.match(/<entry>.*<\/entry>/g) ?? [];
  await using app = await openOn(MONDAY);
  await using later = await openOn("2026-11-29");
  const { body, headers } = await app.send("GET /feed.atom?prefix=blog/");
  const { body: after } = await later.send("GET /feed.atom?prefix=blog/");
  deepStrictEqual(entriesOf(after), entriesOf(body));
  strictEqual(new Set(all(body, "id")).size, entriesOf(body).length + 1);
  const known = { "if-none-match": headers.etag ?? "" };
  strictEqual((await app.send("GET /feed.atom?prefix=blog/", known)).status, 304);
});

Deno.test("GET /feed.atom dates an entry at midnight of the service, which is never in the future", async () => {
  for (
    const [timeZone, offset] of [["Pacific/Kiritimati", "+14:00"], ["America/New_York", "-05:00"]]
  ) {
    await using app = await openOn("2026-11-22", timeZone);
    const { body } = await app.send("GET /feed.atom?id=blog/a%26b");
    const times = all(body, "updated");
    strictEqual(times[1], `2026-11-${timeZone?.startsWith("P") ? 23 : 17}T00:00:00${offset}`);
    const now = Date.parse("2026-11-22T12:00:00Z");
    for (const time of times) strictEqual(Date.parse(time ?? "") <= now, true, time);
  }
});

Deno.test("GET /feed.atom names the most read counter of a group in each week", async () => {
  await using app = await openOn(MONDAY);
  const days = { "2026-11-09": 11, "2026-11-17": 400 };
  await app.sendBody("PUT /counters?id=blog/b", JSON.stringify({ hits: 411, days }));
  const { body } = await app.send("GET /feed.atom?prefix=blog/&key=k&token=s");
  const weeks = all(body, "title").filter((title) => title?.includes("week"));
  deepStrictEqual(weeks, [
    "blog/: 820 views in the week of 2026-11-16 (+3805 %), most read: blog/a&amp;b",
    "blog/: 21 views in the week of 2026-11-09, most read: blog/b",
  ]);
  const [, search] = /<link href="p\?([^"]*)"\/>/.exec(body) ?? [];
  strictEqual(search, "prefix=blog%2F&amp;key=k");
});
