import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { createCalendar, hitsIn, PERIODS } from "../../../src/domain/calendar.ts";
import { formatDay, parseDay } from "../../../src/domain/history.ts";
import { trendOf, trendWords } from "../../../src/domain/trend.ts";

for (
  const [timeZone, time, day] of [
    ["UTC", "2026-11-20T23:59:59.999Z", "2026-11-20"],
    ["UTC", "2026-11-21T00:00:00Z", "2026-11-21"],
    ["Europe/Berlin", "2026-11-20T22:59:59Z", "2026-11-20"],
    ["Europe/Berlin", "2026-11-20T23:00:00Z", "2026-11-21"],
    // The night in which summer time ends has an hour twice, the one in which it begins lacks one.
    ["Europe/Berlin", "2026-10-25T22:59:00Z", "2026-10-25"],
    ["Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-26"],
    ["Europe/Berlin", "2026-03-29T21:59:00Z", "2026-03-29"],
    ["Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-30"],
    ["Pacific/Kiritimati", "2026-11-20T09:59:59Z", "2026-11-20"],
    ["Pacific/Kiritimati", "2026-11-20T10:00:00Z", "2026-11-21"],
    ["Asia/Kathmandu", "2026-11-20T18:14:59Z", "2026-11-20"],
    ["Asia/Kathmandu", "2026-11-20T18:15:00Z", "2026-11-21"],
    ["America/Santiago", "2026-09-06T03:59:59Z", "2026-09-05"],
    // Summer time begins at midnight there: the day begins at one o'clock.
    ["America/Santiago", "2026-09-06T04:00:00Z", "2026-09-06"],
  ] as const
) {
  Deno.test(`in ${timeZone} it is ${day} at ${time}`, () => {
    strictEqual(formatDay(createCalendar(timeZone, () => Date.parse(time)).today()), day);
  });
}

Deno.test("the day changes with the clock that it is given", () => {
  let time = Date.parse("2026-12-31T23:59:59.999Z");
  const calendar = createCalendar("UTC", () => time);
  const before = calendar.today();
  time += 1;
  strictEqual(calendar.today(), before + 1);
  time -= 1;
  strictEqual(calendar.today(), before);
});

Deno.test("a zone that is none throws a RangeError", () => {
  throws(() => createCalendar("Mars/Olympus"), RangeError);
});

for (
  const [timeZone, time, left] of [
    ["UTC", "2026-11-20T23:59:59.999Z", 1],
    ["UTC", "2026-11-20T00:00:00Z", 86_400_000],
    ["Europe/Berlin", "2026-11-20T22:00:00.500Z", 3_599_500],
    // Days of 25 and 23 hours.
    ["Europe/Berlin", "2026-10-24T22:00:00Z", 25 * 3_600_000],
    ["Europe/Berlin", "2026-03-28T23:00:00Z", 23 * 3_600_000],
    ["Asia/Kathmandu", "2026-11-20T18:14:00Z", 60_000],
    ["America/Santiago", "2026-09-06T03:00:00Z", 3_600_000],
  ] as const
) {
  Deno.test(`in ${timeZone} at ${time} its day ends in ${left} ms`, () => {
    strictEqual(createCalendar(timeZone, () => Date.parse(time)).msUntilMidnight(), left);
  });
}

const today = parseDay("2026-11-21") ?? NaN;
/** One hit on each of 500 days, and 10,100 from before history. */
const held = { hits: 10_600, days: { newest: today, hits: new Array<number>(500).fill(1) } };

Deno.test("hitsIn: days after the newest had no hits", () => {
  strictEqual(hitsIn("today", held, today + 1), 0);
  strictEqual(hitsIn("yesterday", held, today + 1), 1);
  strictEqual(hitsIn("7d", held, today + 6), 1);
});

Deno.test("today is the newest day where another process is ahead", () => {
  strictEqual(
    hitsIn("today", { hits: 5, days: { newest: today, hits: [2, 3] } }, today - 1),
    2,
  );
});

Deno.test("a counter without days had hits in total only", () => {
  deepStrictEqual(
    PERIODS.map((period) => hitsIn(period, { hits: 9, days: undefined }, today)),
    [0, 0, 0, 0, 0, 0, 0, 9],
  );
});

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
