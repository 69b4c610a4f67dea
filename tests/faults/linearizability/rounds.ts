import fc from "fast-check";
import { type DatedReport, type Day, DAY_MS } from "../../../src/domain/history.ts";
import type { Op } from "./counter_model.ts";

/** An operation of one of several processes; its day comes from the clock of that process. */
export interface Call {
  readonly process: number;
  /** The index of the counter. */
  readonly counter: number;
  readonly op: (today: Day) => Op;
  /** True for an import, whose response does not contain the previous state. */
  readonly imported?: boolean;
  /** The text that fast-check shows. */
  readonly text: string;
}

/** Concurrent operations. Before them some days pass, and some processes restart. */
export interface Round {
  readonly daysLater: number;
  readonly restart: number | undefined;
  readonly calls: readonly Call[];
}

/** Random rounds for so many processes and counters. */
export function rounds(
  { processes, counters }: { processes: number; counters: number },
): fc.Arbitrary<Round[]> {
  const call = fc.record({
    process: fc.nat(processes - 1),
    counter: fc.nat(counters - 1),
    chosen: operation,
  }).map(({ chosen, ...place }) => ({ ...place, ...chosen }));
  const round = fc.record({
    daysLater: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }) },
      // Past the end of a month, of a year, and of several.
      { weight: 2, arbitrary: fc.integer({ min: 20, max: 1200 }) },
    ),
    restart: fc.option(fc.nat(processes - 1), { nil: undefined, freq: 4 }),
    calls: fc.array(call, { minLength: 1, maxLength: 6 }),
  });
  return fc.array(round, { minLength: 4, maxLength: 25 });
}

type Operation = Pick<Call, "op" | "text" | "imported">;

/** Days as far back as a ledger keeps, mostly of late, and tomorrow, which it may be elsewhere. */
const daysAgo = fc.oneof(
  fc.integer({ min: -1, max: 3 }),
  fc.integer({ min: 0, max: 400 }),
  fc.integer({ min: 0, max: 4000 }),
);
const number = fc.oneof(fc.nat(5), fc.nat(100_000), fc.constant(2 ** 52 - 2 ** 20));
const days = fc.option(
  fc.array(fc.tuple(daysAgo, fc.nat(100_000)), { maxLength: 4 }),
  { nil: undefined },
);

/**
 * Few totals and few times, so that many reports are late, repeated, of the same moment, or of a
 * service that was reset.
 */
const report = fc.record({
  seen: fc.oneof(fc.nat(20), fc.nat(5_000)),
  ago: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(500)),
  ms: fc.nat(3),
});

function reportAt(
  { seen, ago, ms }: { seen: number; ago: number; ms: number },
  today: Day,
): DatedReport {
  const day = today - ago;
  return { seen, at: day * DAY_MS + ms, day };
}

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(shown("add", (day) => ({ kind: "add", amount: 1, day }))) },
  { weight: 2, arbitrary: fc.constant(shown("total", () => ({ kind: "total" }))) },
  {
    weight: 2,
    arbitrary: fc.option(daysAgo, { nil: undefined }).map((ago) =>
      shown(
        `history of ${ago}`,
        (today) => ({ kind: "history", since: today - (ago ?? Infinity), day: today }),
      )
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      key: fc.option(fc.constantFrom("k", "l"), { nil: undefined }),
      visitor: fc.option(fc.constantFrom("v", "w"), { nil: undefined }),
    }).map(({ key, visitor }) =>
      shown(`once ${key} ${visitor}`, (day) => ({
        kind: "once",
        ...key !== undefined && { key },
        ...visitor !== undefined && { visitor },
        day,
      }))
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      hits: number,
      days,
      mode: fc.constantFrom("replace", "max"),
      imported: fc.boolean(),
      reported: fc.option(fc.option(report, { nil: null }), { nil: undefined }),
    }).map(
      ({ hits, days, mode, imported, reported }) => ({
        imported,
        ...shown(
          `${imported ? "import" : "set"} ${hits} ${JSON.stringify([days, reported])} ${mode}`,
          (day) => ({
            kind: "set",
            hits,
            days: days && new Map(days.map(([ago, hits]) => [day - ago, hits])),
            report: reported && reportAt(reported, day),
            mode,
            day,
          }),
        ),
      }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.record({ report, imported: fc.boolean() }).map(({ report, imported }) => ({
      imported,
      ...shown(`report ${JSON.stringify(report)}${imported ? " imported" : ""}`, (day) => ({
        kind: "set",
        hits: undefined,
        days: undefined,
        report: reportAt(report, day),
        mode: "max",
        day,
      })),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(daysAgo, fc.nat(500)), { minLength: 1, maxLength: 4 }).map((
      days,
    ) =>
      shown(`raise ${JSON.stringify(days)}`, (day) => ({
        kind: "set",
        hits: undefined,
        days: new Map(days.map(([ago, hits]) => [day - ago, hits])),
        mode: "max",
        day,
      }))
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ name: fc.constantFrom("n", "o"), hits: fc.nat(500), days }).map(
      ({ name, hits, days }) =>
        shown(`add ${name} ${hits} ${JSON.stringify(days)}`, (day) => ({
          kind: "set",
          mode: "add",
          name,
          hits,
          days: days && new Map(days.map(([ago, hits]) => [day - ago, hits])),
          day,
        })),
    ),
  },
  { weight: 1, arbitrary: fc.constant(shown("delete", (day) => ({ kind: "delete", day }))) },
);

function shown(text: string, op: Operation["op"]): Operation {
  return { text, op };
}
