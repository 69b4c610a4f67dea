import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createCalendar } from "../../../src/domain/calendar.ts";
import { counterId } from "../../../src/domain/counter_id.ts";
import { type Day, parseDay } from "../../../src/domain/history.ts";
import { createCounters } from "../../../src/counters/counters.ts";
import { field, memoryApp, memoryStore } from "../../support/app.ts";

const HOME = counterId("home");
const TODAY = parseDay("2026-11-24") ?? NaN;
const calendar = createCalendar("UTC", () => Date.parse("2026-11-24T12:00:00Z"));

Deno.test("of histories that are read together, each goes back as far as was asked for", async () => {
  const { store } = await memoryStore(calendar);
  const counters = createCounters(store, calendar);
  // A number for each day of three years, so that each of them is stored in an entry of its own.
  const hits = Array.from({ length: 1000 }, (_, back) => back + 1);
  await counters.set(HOME, { hits: 600_000, days: { newest: TODAY, hits }, mode: "replace" });
  const sinces: Day[] = [TODAY, TODAY - 400, TODAY - 800, TODAY - 10];
  for (const order of [sinces, sinces.toReversed()]) {
    const histories = await Promise.all(order.map((since) => counters.history(HOME, since)));
    histories.forEach(({ days }, index) => {
      const length = TODAY - (order[index] ?? NaN) + 1;
      strictEqual(days?.newest, TODAY);
      deepStrictEqual(days.hits.slice(0, length), hits.slice(0, length), `${order[index]}`);
    });
  }
  await counters.close();
});

Deno.test("reads of different periods that are sent at once each get the hits of their own period", async () => {
  await using app = await memoryApp({ calendar });
  const days = { "2026-11-24": 1, "2026-11-20": 10, "2026-11-01": 100, "2025-12-24": 1000 };
  await app.sendBody("POST /counters", JSON.stringify({ id: "home", hits: 1111, days }));
  const expected = { today: 1, "7d": 11, month: 111, year: 111, "365d": 1111 };
  for (const periods of [Object.keys(expected), Object.keys(expected).toReversed()]) {
    const responses = await Promise.all(
      periods.map((period) => app.send(`GET /count?id=home&period=${period}`)),
    );
    const found = responses.map(({ json }, index) => [periods[index], field(json, "hits")]);
    deepStrictEqual(Object.fromEntries(found), expected);
  }
});
