import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Op, Seen } from "./counter_model.ts";
import { type Event, linearize } from "./linearizable.ts";

const hit: Op = { kind: "add", amount: 1, day: 7, latest: 9 };
const total: Op = { kind: "total" };
const history: Op = { kind: "history", since: -Infinity, day: 9 };

/** By three clocks that do not show the same day. */
const removedAndSet = [
  event({ ...hit, day: 9 }, [0, 1], 1),
  event({ kind: "delete", day: 8, latest: 9 }, [2, 3], { hits: 1, days: new Map([[9, 1]]) }),
  event(setTo(100), [4, 5], { hits: 0, days: undefined }),
  event(hit, [6, 7], 101),
];

const cases: { what: string; events: Event[]; left: number[] }[] = [
  { what: "nothing at all", events: [], left: [0] },
  {
    what: "hits in the order of their numbers",
    events: [event(hit, [0, 1], 1), event(hit, [2, 3], 2)],
    left: [2],
  },
  {
    what: "two hits at once, whose numbers may be in either order",
    events: [event(hit, [0, 9], 2), event(hit, [1, 8], 1)],
    left: [2],
  },
  {
    what: "a number before its turn",
    events: [event(hit, [0, 1], 2), event(hit, [2, 3], 1)],
    left: [],
  },
  {
    what: "a number given twice",
    events: [event(hit, [0, 9], 1), event(hit, [0, 9], 1)],
    left: [],
  },
  {
    what: "a read that misses a hit that was acknowledged before it began",
    events: [event(hit, [0, 1], 1), event(total, [2, 3], 0)],
    left: [],
  },
  {
    what: "a read that misses a hit that was under way",
    events: [event(hit, [0, 3], 1), event(total, [1, 2], 0)],
    left: [1],
  },
  {
    what: "a hit without an answer, which may count late or never",
    events: [event(hit, [0, Infinity]), event(total, [1, 2], 0)],
    left: [0, 1],
  },
  {
    what: "a hit without an answer that has counted",
    events: [event(hit, [0, Infinity]), event(total, [1, 2], 1), event(total, [3, 4], 1)],
    left: [1],
  },
  {
    what: "many hits without an answer that have all counted, after a read that saw none of them",
    events: [
      ...Array.from({ length: 8 }, () => event(hit, [0, Infinity])),
      event(total, [1, 2], 0),
      event(total, [3, 4], 6),
    ],
    left: [6, 7, 8],
  },
  {
    what: "a hit without an answer that counts twice",
    events: [event(hit, [0, Infinity]), event(total, [1, 2], 1), event(total, [3, 4], 2)],
    left: [],
  },
  {
    what: "a hit after a set that does not see it",
    events: [event(setTo(100), [0, 1], { hits: 0, days: undefined }), event(hit, [2, 3], 1)],
    left: [],
  },
  {
    what: "a set, a hit and a deletion, each of which tells what was there",
    events: [
      event(setTo(100), [0, 1], { hits: 0, days: undefined }),
      event(hit, [2, 3], 101),
      event({ kind: "delete", day: 7 }, [4, 5], { hits: 101, days: new Map([[7, 1]]) }),
      event(total, [6, 7], 0),
    ],
    left: [0],
  },
  {
    what: "a deletion that tells of another day",
    events: [
      event(hit, [2, 3], 1),
      event({ kind: "delete", day: 8 }, [4, 5], { hits: 1, days: new Map([[8, 1]]) }),
    ],
    left: [],
  },
  {
    what: "a hit after a removal and a set on the day of whoever removed it",
    events: [...removedAndSet, event(history, [8, 9], { hits: 101, days: new Map([[8, 1]]) })],
    left: [101],
  },
  {
    what: "a hit after a removal and a set on a day that nobody had",
    events: [...removedAndSet, event(history, [8, 9], { hits: 101, days: new Map([[10, 1]]) })],
    left: [],
  },
];

for (const { what, events, left } of cases) {
  Deno.test(`linearize: ${left.length === 0 ? "refuses" : "takes"} ${what}`, () => {
    const found = linearize(events).map(({ hits }) => hits);
    deepStrictEqual(found.toSorted((a, b) => a - b), left);
  });
}

Deno.test("a thousand hits of eight callers take no time to speak of", () => {
  const events = Array.from({ length: 1000 }, (_, index) => {
    return event(hit, [index - index % 8, index - index % 8 + 8], index + 1);
  });
  strictEqual(linearize(events)[0]?.hits, 1000);
});

function event(op: Op, [start, end]: [number, number], seen?: Seen): Event {
  return { op, start, end, seen };
}

function setTo(hits: number): Op {
  return { kind: "set", hits, days: undefined, mode: "replace", day: 7, latest: 9 };
}
