import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type CounterState, type DatedReport, DAY_MS } from "../../../src/domain/history.ts";
import { applyUpdate, refusalOf } from "../../../src/domain/update.ts";
import { MAX_HITS } from "../../../src/domain/store.ts";

const DAY = 20_778;
const held = { hits: 50, days: { newest: DAY - 1, hits: [4, 2] } };

Deno.test("an update without days keeps those that are known and is no hit of today", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: undefined, mode: "replace" }, { before: held, today: DAY }),
    { hits: 7, days: { newest: DAY, hits: [0, 4, 2] } },
  );
});

Deno.test("days that are given take the place of all", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: { newest: DAY - 9, hits: [3] }, mode: "replace" }, {
      before: held,
      today: DAY - 8,
    }),
    { hits: 7, days: { newest: DAY - 1, hits: [0, 0, 0, 0, 0, 0, 0, 0, 3] } },
  );
});

Deno.test("no days at all forget those that were known", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: { newest: DAY, hits: [] }, mode: "replace" }, {
      before: held,
      today: DAY,
    }),
    { hits: 7, days: { newest: DAY, hits: [] } },
  );
});

Deno.test("the larger of the two, in the total and in each day", () => {
  const days = { newest: DAY, hits: [1, 3, 9, 9] };
  deepStrictEqual(
    applyUpdate({ hits: 7, days, mode: "max" }, { before: held, today: DAY }),
    { hits: 50, days: { newest: DAY, hits: [1, 4, 9, 9] } },
  );
});

Deno.test("days alone raise the total by as much as the days grow", () => {
  const days = { newest: DAY, hits: [1, 3, 9, 9] };
  deepStrictEqual(
    applyUpdate({ hits: undefined, days, mode: "max" }, { before: held, today: DAY }),
    { hits: 50 + 1 + 0 + 7 + 9, days: { newest: DAY, hits: [1, 4, 9, 9] } },
  );
  const again = { hits: 67, days: { newest: DAY, hits: [1, 4, 9, 9] } };
  deepStrictEqual(
    applyUpdate({ hits: undefined, days, mode: "max" }, { before: again, today: DAY + 1 }),
    { hits: 67, days: { newest: DAY + 1, hits: [0, 1, 4, 9, 9] } },
  );
  deepStrictEqual(
    applyUpdate({ hits: undefined, days, mode: "max" }, {
      before: { hits: 5, days: undefined },
      today: DAY,
    }).hits,
    5 + 22,
  );
});

Deno.test("a total that has no room for what the days grow by is full, whatever they add up to", () => {
  const days = { newest: DAY, hits: [1] };
  strictEqual(refusalOf({ hits: MAX_HITS, days }), undefined);
  strictEqual(refusalOf({ hits: MAX_HITS + 1, days })?.kind, "counter-full");
  const most = { newest: DAY, hits: [MAX_HITS - 1, 1] };
  strictEqual(refusalOf({ hits: 0, days: most }), undefined);
  strictEqual(refusalOf({ hits: 0, days: { ...most, hits: [MAX_HITS, 1] } })?.kind, "counter-full");
});

Deno.test("a counter that had no days has them from today on", () => {
  deepStrictEqual(
    applyUpdate({ hits: 7, days: undefined, mode: "max" }, {
      before: { hits: 3, days: undefined },
      today: DAY,
    }),
    { hits: 7, days: { newest: DAY, hits: [] } },
  );
});

/** Noon of a day. */
const noon = (day: number) => day * DAY_MS + DAY_MS / 2;
const reported = (seen: number, day: number) => ({ seen, at: noon(day), day });
const none: CounterState = { hits: 0, days: undefined };
const three = { hits: 3, days: { newest: DAY, hits: [2, 1] } };

const after = (seen: number, day: number) => ({ ...three, report: reported(seen, day) });

/** The total, the days from the newest back, and the reported total that follow. */
const reports: readonly (readonly [string, CounterState, DatedReport, expected: string])[] = [
  ["the first of a new counter sets its total and no day", none, reported(126, DAY), "126,,126"],
  [
    "the first of a counter that exists is a starting point",
    three,
    reported(126, DAY),
    "3,2,1,126",
  ],
  [
    "a later one adds to the total and to its day",
    after(100, DAY - 3),
    reported(107, DAY - 2),
    "10,2,1,7,107",
  ],
  [
    "one of tomorrow, as it is elsewhere, opens that day",
    after(100, DAY),
    reported(107, DAY + 1),
    "10,7,2,1,107",
  ],
  ["a smaller total is a new starting point", after(100, DAY - 1), reported(40, DAY), "3,2,1,40"],
  ["one of the same moment is ignored", after(100, DAY), reported(107, DAY), "3,2,1,100"],
  ["an earlier one is ignored", after(100, DAY), reported(90, DAY - 1), "3,2,1,100"],
];

for (const [what, held, report, expected] of reports) {
  Deno.test(`applyUpdate: of reports, ${what}`, () => {
    const update = { hits: undefined, days: undefined, report, mode: "max" as const };
    const { hits, days, report: kept } = applyUpdate(update, { before: held, today: DAY });
    strictEqual([hits, days.hits, kept?.seen].join(), expected);
  });
}

Deno.test("a state keeps, replaces or removes the report, and the mode max keeps the later one", () => {
  const held = { ...three, report: reported(100, DAY) };
  const seen = (report: DatedReport | null | undefined, mode: "replace" | "max") =>
    applyUpdate({ hits: 1, days: undefined, report, mode }, { before: held, today: DAY }).report
      ?.seen;
  strictEqual(seen(undefined, "replace"), 100);
  strictEqual(seen(null, "replace"), undefined);
  strictEqual(seen(reported(5, DAY - 1), "replace"), 5);
  strictEqual(seen(reported(5, DAY - 1), "max"), 100);
  strictEqual(seen(reported(5, DAY + 1), "max"), 5);
  strictEqual(seen(null, "max"), 100);
});
