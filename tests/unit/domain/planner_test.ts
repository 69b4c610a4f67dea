import { type CurrentDays, stateOf } from "../../../src/domain/calendar.ts";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type CounterRecord,
  type Day,
  type OpenYear,
  type YearEntry,
  yearsSince,
} from "../../../src/domain/history.ts";
import { MAX_HITS, type Update } from "../../../src/domain/store.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { planHits, planOnce, planWrite, type Writes } from "../../../src/domain/planner.ts";
import { FULL, ModelCounter, shownState } from "../../support/model_counter.ts";
import { times } from "../../support/times.ts";

/** A day late in a year, so that the next year is near. */
const FIRST_DAY = 20_770;

/** Returns the current days a minute before midnight. */
function at(today: Day): CurrentDays {
  return { today, latest: today + 1 };
}

/** Stores one counter the way that a store does, and reads no more than a plan needs. */
class StoredCounter {
  total: number | undefined;
  ledger: OpenYear | undefined;
  readonly years = new Map<number, YearEntry>();
  keys = new Map<string, number>();
  visitors = new Set<string>();

  /** The record for hits. Without the ledger if the day is known to be open. */
  forHits(today: Day): CounterRecord {
    const { total: held, ledger } = this;
    const [total, exists] = [held ?? 0, held !== undefined];
    if (ledger === undefined) return { total, exists, openDay: -Infinity };
    const { openDay } = ledger;
    if (openDay > today + 1) {
      return { total, exists, openDay, ledger, years: [...this.years.values()] };
    }
    return openDay >= today ? { total, exists, openDay } : { total, exists, openDay, ledger };
  }

  /** The record for writes, with all years that the ledger refers to. */
  forWrites(): CounterRecord {
    const { ledger } = this;
    const record = { ...this.forHits(Infinity), ledger };
    if (ledger === undefined) return record;
    const years = yearsSince(ledger, -Infinity).flatMap((year) => this.years.get(year) ?? []);
    return { ...record, years };
  }

  apply(writes: Writes | undefined): void {
    if (writes === undefined) return;
    const { total, history, deduplication } = writes;
    this.total = total;
    if (history !== undefined) {
      this.ledger = history.ledger;
      for (const entry of history.years) this.years.set(entry.year, entry);
      for (const year of history.deletedYears) this.years.delete(year);
    }
    if (total === undefined) [this.keys, this.visitors] = [new Map(), new Set()];
    for (const [key, hits] of deduplication?.keys ?? []) this.keys.set(key, hits);
    for (const visitor of deduplication?.visitors ?? []) {
      this.visitors.add(`${deduplication?.day}:${visitor}`);
    }
  }

  /** True if every stored year can be found through the ledger. */
  get refersToAllYears(): boolean {
    const known = this.ledger === undefined ? [] : yearsSince(this.ledger, -Infinity);
    return [...this.years.keys()].every((year) => known.includes(year));
  }
}

const days = fc.option(
  fc.record({
    back: fc.integer({ min: -1, max: 900 }),
    hits: fc.array(fc.oneof({ weight: 20, arbitrary: fc.nat(9) }, fc.constant(MAX_HITS - 4)), {
      maxLength: 30,
    }),
  }),
  { nil: undefined },
);
const onceHit = fc.record({
  key: fc.constantFrom("k", "l", "m"),
  visitor: fc.constantFrom("v", "w", "x"),
  remember: fc.boolean(),
}, { requiredKeys: [] });
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ hits: fc.integer({ min: 1, max: 9 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ once: fc.array(onceHit, { minLength: 1, maxLength: 4 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        mode: fc.constantFrom("replace" as const, "max" as const),
        total: fc.oneof(fc.nat(50), fc.constant(MAX_HITS - 20)),
        days,
      }),
    },
    { weight: 2, arbitrary: fc.record({ grownBy: days }) },
    { weight: 1, arbitrary: fc.constant("delete" as const) },
    // A clock that is behind: processes need not agree on the day.
    { weight: 4, arbitrary: fc.record({ wait: fc.constantFrom(-1, 1, 1, 2, 40, 366, 800) }) },
  ),
  { maxLength: 40, size: "max" },
);

type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

/** A repeat that leaves a new key opens a day, and the clock goes back before the next hit. */
const A_REPEAT_OPENS_A_DAY: Step[] = [
  { once: [{ visitor: "v", remember: true }] },
  { once: [{ key: "k", visitor: "v" }] },
  { wait: -1 },
  { hits: 1 },
];

Deno.test("whatever is hit, set and deleted on whatever days, the writes keep what the model has", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const [stored, model] = [new StoredCounter(), new ModelCounter()];
      let today = FIRST_DAY;
      for (const step of taken) {
        if (typeof step === "object" && "wait" in step) today += step.wait;
        else take(step, { stored, model, today });
        deepStrictEqual(shown(stored, today), model.shownOn(today));
        ok(stored.refersToAllYears, "a year is left that no ledger refers to");
      }
    }),
    { numRuns: times(500, 1000), examples: [[A_REPEAT_OPENS_A_DAY]] },
  );
});

type Change = Exclude<Step, { wait: number }>;

function take(
  step: Change,
  { stored, model, today }: { stored: StoredCounter; model: ModelCounter; today: Day },
): void {
  if (step === "delete") {
    const { result, writes } = planWrite(stored.forWrites(), undefined, at(today));
    strictEqual(result instanceof Failure ? undefined : result.hits, model.total);
    stored.apply(writes);
    model.delete();
  } else if ("hits" in step) {
    const { result, writes } = planHits(stored.forHits(today), step.hits, at(today));
    strictEqual(kindOf(result), model.hit(step.hits, today));
    stored.apply(writes);
  } else if ("once" in step) {
    if (model.total + step.once.length > MAX_HITS) return;
    const seen = [...stored.visitors].filter((visitor) => visitor.startsWith(`${today}:`));
    const visitors = new Set(seen.map((visitor) => visitor.slice(`${today}:`.length)));
    const { result, writes } = planOnce(stored.forHits(today), {
      hits: step.once,
      known: { keys: stored.keys, visitors },
      now: at(today),
    });
    deepStrictEqual(result, step.once.map((hit) => model.hitOnce(hit, today)));
    stored.apply(writes);
  } else {
    const update = updateOf(step, today);
    const before = shown(stored, today);
    const { result, writes } = planWrite(stored.forWrites(), update, at(today));
    const refusal = model.update(update, today);
    strictEqual(result instanceof Failure ? result.kind : undefined, refusal);
    if (!(result instanceof Failure)) deepStrictEqual(shownState(result), before);
    strictEqual(writes === undefined, refusal !== undefined);
    stored.apply(writes);
  }
}

function updateOf(
  step: Extract<Change, { mode: unknown } | { grownBy: unknown }>,
  today: Day,
): Update {
  const given = "mode" in step ? step.days : step.grownBy;
  const days = given && { newest: today - given.back, hits: given.hits };
  if ("mode" in step) return { mode: step.mode, hits: step.total, days };
  return { mode: "max", hits: undefined, days: days ?? { newest: today, hits: [] } };
}

function kindOf<Value>(result: Value | Failure): Value | string {
  return result instanceof Failure ? result.kind : result;
}

function shown(stored: StoredCounter, today: Day) {
  const state = stateOf(stored.forWrites(), at(today));
  if (state instanceof Failure) throw state;
  return shownState(state);
}

const ledger: OpenYear = {
  openDay: FIRST_DAY,
  totalAtDayStart: 3,
  firstYear: 2024,
  before: [1, 2],
};

Deno.test("a hit on an open day writes the total alone", () => {
  const record = { total: 5, exists: true, openDay: FIRST_DAY };
  deepStrictEqual(planHits(record, 2, at(FIRST_DAY)), {
    result: 7,
    writes: { total: 7, history: undefined },
  });
});

Deno.test("the ledger that a deleted counter left is stored again, although its day is open", () => {
  const left = { openDay: FIRST_DAY, totalAtDayStart: 0, firstYear: undefined, before: [] };
  const record = { total: 0, exists: false, openDay: FIRST_DAY, ledger: left };
  const { writes } = planHits(record, 2, at(FIRST_DAY));
  deepStrictEqual(writes?.history, { ledger: left, years: [], deletedYears: [] });
});

Deno.test("of hits that do not all fit into the counter none counts, and no key of theirs is stored", () => {
  const record = { total: MAX_HITS - 1, exists: true, openDay: FIRST_DAY };
  const known = { keys: new Map(), visitors: new Set<string>() };
  const hits = [{ key: "a" }, { key: "b" }];
  const { result, writes } = planOnce(record, { hits, known, now: at(FIRST_DAY) });
  strictEqual(kindOf(result), FULL);
  strictEqual(writes, undefined);
});

Deno.test("a repeat with a new key writes the unchanged total with the key, one without writes nothing", () => {
  const record = { total: 5, exists: true, openDay: FIRST_DAY };
  const known = { keys: new Map(), visitors: new Set(["v"]) };
  const request = { known, now: at(FIRST_DAY) };
  const withKey = planOnce(record, { ...request, hits: [{ key: "a", visitor: "v" }] });
  deepStrictEqual(withKey.result, [{ hits: 5, repeat: true }]);
  strictEqual(withKey.writes?.total, 5);
  deepStrictEqual(withKey.writes?.deduplication?.keys, new Map([["a", 5]]));
  strictEqual(planOnce(record, { ...request, hits: [{ visitor: "v" }] }).writes, undefined);
});

Deno.test("a repeat ends no day that is ahead, although it leaves a key", () => {
  const ahead = { ...ledger, openDay: FIRST_DAY + 2 };
  const record = { total: 14, exists: true, openDay: FIRST_DAY + 2, ledger: ahead, years: [] };
  const known = { keys: new Map(), visitors: new Set(["v"]) };
  const hits = [{ key: "a", visitor: "v" }];
  const { writes } = planOnce(record, { hits, known, now: at(FIRST_DAY) });
  strictEqual(writes?.total, 14);
  strictEqual(writes?.history, undefined);
});

Deno.test("a day that is at most 15 minutes away gets hits, and a later one is ended by the next hit", () => {
  const ahead = { ...ledger, openDay: FIRST_DAY + 1, totalAtDayStart: 7 };
  const record = { total: 10, exists: true, openDay: FIRST_DAY + 1, ledger: ahead, years: [] };
  strictEqual(planHits(record, 1, at(FIRST_DAY)).writes?.history, undefined);
  const noon = { today: FIRST_DAY, latest: FIRST_DAY };
  const ended = planHits(record, 1, noon).writes?.history?.ledger;
  deepStrictEqual([ended?.openDay, ended?.totalAtDayStart], [FIRST_DAY, 6]);
});

Deno.test("a repeated addition changes nothing, and stores the total again for the replicas", () => {
  const record = { total: 5, exists: true, openDay: FIRST_DAY, ledger, years: [], isRepeat: true };
  const update: Update = { hits: 3, days: undefined, mode: "add", name: "a" };
  const { result, writes } = planWrite(record, update, at(FIRST_DAY));
  strictEqual(result instanceof Failure ? result.kind : result.hits, 5);
  deepStrictEqual(writes, { total: 5 });
  strictEqual(planWrite({ ...record, exists: false }, update, at(FIRST_DAY)).writes, undefined);
});

Deno.test("a value that is no total is reported, and nothing is written", () => {
  const problem = new Failure("not-a-counter");
  const record = { total: problem, exists: true, openDay: -Infinity, ledger };
  const known = { keys: new Map(), visitors: new Set<string>() };
  const update: Update = { hits: 3, days: undefined, mode: "replace" };
  for (
    const plan of [
      planHits(record, 1, at(FIRST_DAY)),
      planOnce(record, { hits: [{}], known, now: at(FIRST_DAY) }),
      planWrite(record, update, at(FIRST_DAY)),
      planWrite(record, undefined, at(FIRST_DAY)),
    ]
  ) deepStrictEqual(plan, { result: problem });
});

Deno.test("deleting a counter of which nothing is stored writes nothing, and what a ledger alone keeps is deleted", () => {
  const nothing = { total: 0, exists: false, openDay: -Infinity };
  strictEqual(planWrite(nothing, undefined, at(FIRST_DAY)).writes, undefined);
  deepStrictEqual(planWrite({ ...nothing, ledger }, undefined, at(FIRST_DAY)).writes, {
    total: undefined,
    history: { ledger: undefined, years: [], deletedYears: [] },
    report: null,
  });
});
