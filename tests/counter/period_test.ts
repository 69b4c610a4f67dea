import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseDay } from "../../src/counter/days.ts";
import {
  beginningOf,
  hitsIn,
  parsePeriod,
  type Period,
  PERIODS,
} from "../../src/counter/period.ts";

const today = parseDay("2026-11-21") ?? NaN;
/** One hit on each of 500 days, and 10,100 from before history. */
const held = { hits: 10_600, days: { newest: today, hits: new Array<number>(500).fill(1) } };

for (
  const [period, hits] of [
    ["today", 1],
    ["yesterday", 1],
    ["7d", 7],
    ["30d", 30],
    ["365d", 365],
    ["month", 21],
    ["year", 325],
    ["total", 10_600],
  ] as [Period, number][]
) {
  Deno.test(`hitsIn: ${period} on 2026-11-21 has ${hits} hits where every day had one`, () => {
    strictEqual(hitsIn(period, { held, today }), hits);
  });
}

Deno.test("hitsIn: days after the newest had no hits", () => {
  strictEqual(hitsIn("today", { held, today: today + 1 }), 0);
  strictEqual(hitsIn("yesterday", { held, today: today + 1 }), 1);
  strictEqual(hitsIn("7d", { held, today: today + 6 }), 1);
});

Deno.test("hitsIn: today is the newest day where another process is ahead", () => {
  strictEqual(
    hitsIn("today", { held: { hits: 5, days: { newest: today, hits: [2, 3] } }, today: today - 1 }),
    2,
  );
});

Deno.test("hitsIn: a counter without days had hits in total only", () => {
  deepStrictEqual(
    PERIODS.map((period) => hitsIn(period, { held: { hits: 9, days: undefined }, today })),
    [0, 0, 0, 0, 0, 0, 0, 9],
  );
});

Deno.test("beginningOf: the first day of the month and of the year", () => {
  strictEqual(beginningOf("month", today), parseDay("2026-11-01"));
  strictEqual(beginningOf("year", today), parseDay("2026-01-01"));
});

Deno.test("parsePeriod: knows its names and no others", () => {
  deepStrictEqual(PERIODS.map(parsePeriod), [...PERIODS]);
  deepStrictEqual(
    ["", "Today", "1d", "toString", "7d "].map(parsePeriod),
    new Array(5).fill(undefined),
  );
});
