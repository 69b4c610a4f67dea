import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type Day,
  daysOf,
  formatDay,
  type History,
  historyOf,
  LAST_DAY,
  mergeDays,
  padToDay,
  parseDay,
  rollOverDay,
  yearOf,
  yearsSince,
} from "../../../src/domain/history.ts";

const DAY = 20_778; // 2026-11-21

/** A counter that keeps its days as a store does, an entry a year. */
class Counter {
  total = 0;
  history: History | undefined;

  hit(amount: number, today: Day): void {
    const { ledger, over } = rollOverDay(
      { ledger: this.history?.ledger, total: this.total },
      today,
    );
    this.history = { ledger, years: [...(over ? [over] : []), ...this.history?.years ?? []] };
    this.total += amount;
  }

  /** The hits by day, those of days without hits left out. */
  get days(): Map<Day, number> {
    const { newest, hits } = this.history === undefined
      ? { newest: 0, hits: [] }
      : daysOf(this.history, this.total);
    return new Map(
      hits.map((number, index): [Day, number] => [newest - index, number])
        .filter(([, number]) => number > 0),
    );
  }
}

Deno.test("history begins with the first hit after it: what was there before belongs to no day", () => {
  const counter = new Counter();
  counter.total = 5000;
  counter.hit(3, DAY);
  deepStrictEqual([...counter.days], [[DAY, 3]]);
});

Deno.test("a total that somebody else set to less gives no negative hits", () => {
  const counter = new Counter();
  counter.hit(10, DAY);
  counter.total = 4;
  counter.hit(1, DAY + 1);
  deepStrictEqual([...counter.days], [[DAY + 1, 1], [DAY, 4]]);
  counter.total = 2;
  deepStrictEqual([...counter.days], [[DAY, 4]]);
});

Deno.test("a ledger holds no more than the year of its open day", () => {
  const counter = new Counter();
  for (let day = DAY; day < DAY + 4000; day++) counter.hit(1, day);
  const { ledger, years } = counter.history ?? historyOf({ newest: 0, hits: [] }, 0);
  ok(ledger.before.length < 366);
  deepStrictEqual(years.map(({ year }) => year), [...years.keys()].map((index) => 2036 - index));
  deepStrictEqual(yearsSince(ledger, -Infinity), years.map(({ year }) => year).reverse());
  deepStrictEqual(yearsSince(ledger, DAY + 3500), [2036]);
  strictEqual(counter.days.size, 4000);
});

const days = fc.record({
  newest: fc.integer({ min: DAY - 800, max: DAY }),
  hits: fc.array(fc.nat(9), { minLength: 1, maxLength: 900 }),
});

Deno.test("historyOf gives back the same days, each entry within its year and without days before its last hit", () => {
  fc.assert(fc.property(days, fc.nat(10_000), (given, total) => {
    const history = historyOf(given, Math.max(total, given.hits[0] ?? 0));
    const { newest, hits } = daysOf(history, Math.max(total, given.hits[0] ?? 0));
    strictEqual(newest, given.newest);
    const length = Math.max(hits.length, given.hits.length);
    for (let index = 0; index < length; index++) {
      strictEqual(hits[index] ?? 0, given.hits[index] ?? 0, formatDay(newest - index));
    }
    for (const { year, last, hits: [first = 0, ...rest] } of history.years) {
      ok(first > 0);
      strictEqual(yearOf(last), year);
      strictEqual(yearOf(last - rest.length), year);
    }
  }));
});

Deno.test("a counter set to less than the hits of its newest day keeps them", () => {
  const history = historyOf({ newest: DAY, hits: [7, 1] }, 3);
  strictEqual(history.ledger.totalAtDayStart, -4);
  deepStrictEqual(daysOf(history, 3).hits, [7, 1]);
  deepStrictEqual(daysOf(history, 4).hits, [8, 1]);
});

Deno.test("largest takes the larger number of each day, wherever the two begin and end", () => {
  deepStrictEqual(
    mergeDays({ newest: DAY, hits: [1, 5] }, { newest: DAY - 1, hits: [3, 3, 3] }, Math.max),
    { newest: DAY, hits: [1, 5, 3, 3] },
  );
});

Deno.test("days without hits are added up to a later day, and none to an earlier one", () => {
  deepStrictEqual(padToDay({ newest: DAY, hits: [1] }, DAY + 2).hits, [0, 0, 1]);
  deepStrictEqual(padToDay({ newest: DAY, hits: [1] }, DAY - 2).hits, [1]);
});

for (
  const text of [
    ...["2026-02-29", "2026-02-30", "2026-13-01", "2026-00-10", "2026-04-31", "2026-01-00"],
    ...["2026-1-01", "26-01-01", " 2026-01-01", "2026-01-01 ", "2026-01-01T00:00:00Z", ""],
    ...["1969-12-31", "+002026-01-01", "２０２６-01-01", "0000-01-01"],
  ]
) {
  Deno.test(`parseDay: ${JSON.stringify(text)} is no day from 1970 on`, () => {
    strictEqual(parseDay(text), undefined);
  });
}

Deno.test("parseDay reads what formatDay writes, for every day until 2099", () => {
  for (let day = 0; day <= LAST_DAY; day++) strictEqual(parseDay(formatDay(day)), day);
  strictEqual(parseDay("2024-02-29"), 19_782);
});
