import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { applyUpdate, MAX_BEYOND_TOTAL, refusalOf, staysExact } from "../../src/counter/update.ts";

const DAY = 20_778;
const held = { hits: 50, days: { newest: DAY - 1, hits: [4, 2] } };

Deno.test("applyUpdate: an update without days keeps those that are known and is no hit of today", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: undefined, mode: "replace" }, { held, today: DAY }),
    { hits: 7, days: { newest: DAY, hits: [0, 4, 2] } },
  );
});

Deno.test("applyUpdate: days that are given take the place of all", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: { newest: DAY - 9, hits: [3] }, mode: "replace" }, {
      held,
      today: DAY - 8,
    }),
    { hits: 7, days: { newest: DAY - 1, hits: [0, 0, 0, 0, 0, 0, 0, 0, 3] } },
  );
});

Deno.test("applyUpdate: no days at all forget those that were known", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: { newest: DAY, hits: [] }, mode: "replace" }, {
      held,
      today: DAY,
    }),
    { hits: 7, days: { newest: DAY, hits: [] } },
  );
});

Deno.test("applyUpdate: the larger of the two, in the total and in each day", () => {
  const days = { newest: DAY, hits: [1, 3, 9, 9] };
  deepStrictEqual(
    applyUpdate({ hits: 7, days, mode: "max" }, { held, today: DAY }),
    { hits: 50, days: { newest: DAY, hits: [1, 4, 9, 9] } },
  );
});

Deno.test("applyUpdate: days alone raise the total by as much as the days grow", () => {
  const days = { newest: DAY, hits: [1, 3, 9, 9] };
  deepStrictEqual(
    applyUpdate({ hits: undefined, days, mode: "max" }, { held, today: DAY }),
    { hits: 50 + 1 + 0 + 7 + 9, days: { newest: DAY, hits: [1, 4, 9, 9] } },
  );
  const again = { hits: 67, days: { newest: DAY, hits: [1, 4, 9, 9] } };
  deepStrictEqual(
    applyUpdate({ hits: undefined, days, mode: "max" }, { held: again, today: DAY + 1 }),
    { hits: 67, days: { newest: DAY + 1, hits: [0, 1, 4, 9, 9] } },
  );
  deepStrictEqual(
    applyUpdate({ hits: undefined, days, mode: "max" }, {
      held: { hits: 5, days: undefined },
      today: DAY,
    }).hits,
    5 + 22,
  );
});

Deno.test("refusalOf: a total that has no room for what the days grow by is full, whatever they add up to", () => {
  const days = { newest: DAY, hits: [1] };
  strictEqual(refusalOf({ hits: MOST, days }), undefined);
  strictEqual(refusalOf({ hits: MOST + 1, days })?.kind, "counter-full");
  strictEqual(refusalOf({ hits: 0, days: { newest: DAY, hits: [MOST] } })?.kind, "counter-full");
});

Deno.test("applyUpdate: a counter that had no days has them from today on", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: undefined, mode: "max" }, {
      held: { hits: 3, days: undefined },
      today: DAY,
    }),
    { hits: 7, days: { newest: DAY, hits: [] } },
  );
});

const MOST = Number.MAX_SAFE_INTEGER;

const sums: { what: string; hits: number; days: number[]; exact: boolean }[] = [
  { what: "no days", hits: 0, days: [], exact: true },
  { what: "days that are the total", hits: MOST, days: [1, MOST - 1], exact: true },
  { what: "one more than the total", hits: MOST, days: [2, MOST - 1], exact: false },
  { what: "days far beyond what numbers hold", hits: MOST, days: [MOST, MOST, 1], exact: false },
  { what: "more than a small total", hits: 3, days: [MAX_BEYOND_TOTAL - 1, 1], exact: true },
  { what: "much more than a small total", hits: 3, days: [MAX_BEYOND_TOTAL, 1], exact: false },
];

for (const { what, hits, days, exact } of sums) {
  Deno.test(`staysExact: ${what} ${exact ? "can be counted on" : "cannot be counted on"}`, () => {
    strictEqual(staysExact({ hits, days: { newest: DAY, hits: days } }), exact);
  });
}
