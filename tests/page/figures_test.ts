import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  barsOf,
  ceilingOf,
  dayNumber,
  figuresOf,
  peakOf,
  sparkline,
  sumOf,
  trendOf,
} from "../../src/page/script/figures.js";

const TODAY = dayNumber("2026-11-22");

Deno.test("figuresOf adds up the days of a line by how long ago they are", () => {
  const days = {
    "2026-11-22": 1,
    "2026-11-21": 10,
    "2026-11-15": 100,
    "2026-10-20": 1000,
    "2027-01-01": 5,
  };
  const { today, yesterday, week, priorWeek, month, priorMonth, total } = figuresOf({
    id: "a",
    hits: 9999,
    days,
  }, TODAY);
  deepStrictEqual([today, yesterday, week, priorWeek, month, priorMonth, total], [
    1,
    10,
    11,
    100,
    111,
    1000,
    9999,
  ]);
  const sum = sumOf("b/", [
    figuresOf({ id: "b/a", hits: 1, days }, TODAY),
    figuresOf({ id: "b/b", hits: 2, days }, TODAY),
  ]);
  deepStrictEqual([sum.today, sum.priorMonth, sum.total], [2, 2000, 3]);
});

Deno.test("trendOf tells up from down without color, and says what has nothing to compare with", () => {
  deepStrictEqual(trendOf(15, 10), { up: true, text: "▲ 50%", word: "up" });
  deepStrictEqual(trendOf(5, 10), { up: false, text: "▼ 50%", word: "down" });
  deepStrictEqual(trendOf(5, 0), { up: true, text: "new", word: "" });
  deepStrictEqual(trendOf(0, 0), { up: false, text: "–", word: "" });
});

Deno.test("sparkline cuts a day above three times the usual one, so that the others keep their rhythm", () => {
  const usual: number[] = Array.from({ length: 30 }, (_, back) => back % 2 === 0 ? 10 : 20);
  const outlier = usual.with(5, 1000);
  match(sparkline(outlier).before, /v-17m0-2\.5v-3/);
  const stroke = (days: number[]) => /M110 23\.5v-([\d.]+)/.exec(sparkline(days).before)?.[1];
  strictEqual(stroke(usual), "11.3");
  strictEqual(stroke(outlier), "3.8");
  // Few days have no usual one.
  strictEqual(sparkline([0, 1, 1, 1, 1, 1, 1000]).before.includes("m0"), false);
});

Deno.test("sparkline draws nothing for a day without views, and something for one with few", () => {
  deepStrictEqual(sparkline(Array(30).fill(0)), { before: "", today: "" });
  match(sparkline([1, 1000]).today, /^M118 23\.5v-1\.5$/);
});

Deno.test("ceilingOf is a round number that nothing is above", () => {
  deepStrictEqual([0, 4, 5, 11, 99, 4618].map(ceilingOf), [4, 4, 5, 20, 100, 5000]);
});

Deno.test("barsOf has a bar for each day or month, the oldest first", () => {
  const days = Array(400).fill(1);
  deepStrictEqual([barsOf(days, "30d", TODAY).length, barsOf(days, "90d", TODAY).length], [30, 90]);
  const months = barsOf(days, "12m", TODAY);
  deepStrictEqual(
    months.map(({ hits }) => hits),
    [31, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 22].with(0, 31).with(1, 31).with(2, 28),
  );
  strictEqual(barsOf(days, "30d", TODAY).filter(({ tick }) => tick).length, 4);
});

Deno.test("peakOf finds the bar that stands out of days, and none of months", () => {
  const days = Array(30).fill(10);
  strictEqual(peakOf(barsOf(days, "30d", TODAY)), -1);
  strictEqual(peakOf(barsOf(days.with(3, 17), "30d", TODAY)), 26);
  strictEqual(peakOf(barsOf(days.with(3, 1700), "12m", TODAY)), -1);
});
