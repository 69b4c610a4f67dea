import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { trendOf, trendWords } from "../../../src/domain/trend.ts";

Deno.test("trendOf() compares the full days before today with as many before them", () => {
  const days = (last: number, before: number, span: number) => [
    999,
    ...Array<number>(span).fill(last),
    ...Array<number>(span).fill(before),
  ];
  deepStrictEqual(trendOf(days(3, 2, 7)), { last: 21, before: 14, percent: 50 });
  deepStrictEqual(trendOf(days(1, 2, 30), 30), { last: 30, before: 60, percent: -50 });
  // The hits of today change nothing.
  deepStrictEqual(trendOf(days(3, 2, 7).with(0, 0)), trendOf(days(3, 2, 7)));
  strictEqual(trendOf(days(3, 0, 7)).percent, undefined);
  strictEqual(trendOf(days(3, 2, 7).slice(0, -1)).percent, undefined, "13 full days");
});

Deno.test("trendWords() has an arrow for a change, and no figure above 999 percent", () => {
  const said = (percent: number) => {
    const { drawn, spoken, isUp } = trendWords(percent, (share) => `${Math.round(100 * share)}%`);
    return [drawn, spoken, isUp];
  };
  deepStrictEqual(said(12), ["▲ 12%", "up 12%", true]);
  deepStrictEqual(said(-12), ["▼ 12%", "down 12%", false]);
  deepStrictEqual(said(0), ["0%", "steady", false]);
  deepStrictEqual(said(999), ["▲ 999%", "up 999%", true]);
  deepStrictEqual(said(1000), ["▲ >999%", "up more than 999%", true]);
});
