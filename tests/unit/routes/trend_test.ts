import { match, ok } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { type Day, DAY_MS, formatDay, parseDay } from "../../../src/domain/history.ts";
import { memoryApp } from "../../support/app.ts";
import { authorized } from "../../support/secret.ts";

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
