import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { RANGES } from "../../../../src/chart/bars.ts";
import {
  dayNumber,
  figuresOf,
  knownRange,
  namedBars,
  sparkline,
  sumOf,
} from "../../../../src/browser/lib/figures.ts";

const TODAY = dayNumber("2026-11-22");

Deno.test("figuresOf adds up the days of a line by how long ago they are", () => {
  const days = {
    "2026-11-22": 1,
    "2026-11-21": 10,
    "2026-11-15": 100,
    "2026-10-20": 1000,
    "2027-01-01": 5,
  };
  const { today, yesterday, week, month, total } = figuresOf({
    id: "a",
    hits: 9999,
    days,
  }, TODAY);
  deepStrictEqual([today, yesterday, week, month, total], [
    1,
    10,
    11,
    111,
    9999,
  ]);
  const sum = sumOf("b/", [
    figuresOf({ id: "b/a", hits: 1, days }, TODAY),
    figuresOf({ id: "b/b", hits: 2, days }, TODAY),
  ]);
  deepStrictEqual([sum.today, sum.month, sum.total], [2, 222, 3]);
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

Deno.test("namedBars names days by their date and months by their name, the oldest first", () => {
  const nameOf = (day: number, form: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat([], { timeZone: "UTC", ...form }).format(day * 86_400_000);
  const days = { newest: TODAY, hits: [3, 2, 1] };
  const [yesterday, today] = namedBars(days, RANGES["30d"]).slice(-2);
  deepStrictEqual([yesterday?.back, yesterday?.hits], [1, 2]);
  deepStrictEqual([today?.back, today?.hits, today?.tick], [0, 3, false]);
  strictEqual(today?.name, nameOf(TODAY, { month: "short", day: "numeric" }));
  const months = namedBars(days, RANGES["12m"]);
  const [first = NaN, last = NaN] = [months[0]?.first, months.at(-1)?.first];
  strictEqual(months.length, 12);
  strictEqual(months[0]?.name, nameOf(first, { month: "short" }));
  strictEqual(months.at(-1)?.long, nameOf(last, { month: "long", year: "numeric" }));
});

Deno.test("knownRange begins with the first known day, has at least seven days, and stays whole without one", () => {
  const count = (known: number, range: keyof typeof RANGES) =>
    knownRange(RANGES[range], { newest: TODAY, hits: Array(known).fill(1) }).count;
  deepStrictEqual([count(0, "90d"), count(3, "90d"), count(20, "90d")], [90, 7, 20]);
  deepStrictEqual([count(20, "30d"), count(200, "90d"), count(3, "12m")], [20, 90, 12]);
});
