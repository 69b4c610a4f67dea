import { type Day, daysOf, type Held, historyOf, openDay } from "../../counter/days.ts";
import type { Ledger, YearEntry } from "../../counter/days.ts";
import { applied } from "../../counter/setting.ts";
import { countOnce } from "../../counter/once.ts";
import {
  type Change,
  type ChangeOutcome,
  MAX_HITS,
  type OnceAddition,
  type Replacement,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { NewMarks } from "./kv_marks.ts";
import type { KvRecord } from "./kv_records.ts";

/** What a change makes of a counter, as that was when it was read. */
export interface Plan {
  readonly change: Change;
  readonly before: KvRecord;
  /** What the caller is told once it is written. */
  readonly outcome: ChangeOutcome;
  /** Undefined where nothing changes. */
  readonly writes: Writes | undefined;
}

/** What to write of a counter. */
export interface Writes {
  /** Undefined where the counter ends, and its ledger with it. */
  readonly total: number | undefined;
  /** Undefined where it stays as it is. */
  readonly ledger?: Ledger;
  /** The years whose days are new. */
  readonly years: readonly YearEntry[];
  /** The years whose days end. */
  readonly goneYears: readonly number[];
  /** What makes later hits the same as these. */
  readonly marks?: NewMarks;
}

/** What a change makes of a counter; where it is none of hits, the record has the ledger and all years. */
export function planOf(change: Change, before: KvRecord, today: Day): Plan {
  return { change, before, ...resultOf(change, before, today) };
}

type Result = Pick<Plan, "outcome" | "writes">;

function resultOf(change: Change, before: KvRecord, today: Day): Result {
  const { outcome: total } = before;
  if (typeof total !== "number") return { outcome: total, writes: undefined };
  switch (change.kind) {
    case "add":
      return added(change.amount, { before, total, today });
    case "once":
      return addedOnce(change, { before, total, today });
    case "set":
      return replaced(change, { before, total, today });
    case "delete":
      return deleted({ before, total });
  }
}

interface Situation {
  before: KvRecord;
  total: number;
  today: Day;
}

function added(amount: number, { before, total, today }: Situation): Result {
  const outcome = total + amount;
  if (outcome > MAX_HITS) return { outcome: new Problem("counter-full"), writes: undefined };
  if (before.openDay >= today) {
    return { outcome, writes: { total: outcome, years: NONE, goneYears: NONE } };
  }
  const { ledger, over } = openDay({ ledger: before.ledger, total }, today);
  return {
    outcome,
    writes: { total: outcome, ledger, years: over === undefined ? NONE : [over], goneYears: NONE },
  };
}

/** Always with its total, even where none of the hits counts: that guards the marks. */
function addedOnce({ hits }: OnceAddition, situation: Situation): Result {
  const { before, total, today } = situation;
  const { amount, outcomes, keys, visitors } = countOnce(hits, {
    total,
    known: before.marks ?? NO_MARKS,
  });
  if (amount === 0 && keys.size === 0) return { outcome: outcomes, writes: undefined };
  const { outcome, writes } = added(amount, situation);
  if (writes === undefined) return { outcome, writes };
  return { outcome: outcomes, writes: { ...writes, marks: { keys, visitors, day: today } } };
}

const NO_MARKS = { keys: new Map<string, number>(), visitors: new Set<string>() };

/** Always with a ledger: without one, hits of a process that remembers the day as open would belong to no day. */
function replaced(change: Replacement, { before, total, today }: Situation): Result {
  const held = heldIn(before, total);
  const { hits, days } = applied(change, { held, today });
  const { ledger, years } = historyOf(days, hits);
  const staying = new Set(years.map(({ year }) => year));
  const goneYears = yearsOf(before).filter((year) => !staying.has(year));
  return { outcome: held, writes: { total: hits, ledger, years, goneYears } };
}

function deleted({ before, total }: Omit<Situation, "today">): Result {
  const outcome = heldIn(before, total);
  if (before.versionstamp === null && before.ledger === undefined) {
    return { outcome, writes: undefined };
  }
  return { outcome, writes: { total: undefined, years: NONE, goneYears: yearsOf(before) } };
}

const NONE: readonly never[] = [];

/** What a record holds at a total, as far as its years reach. */
export function heldIn({ ledger, years = NONE }: KvRecord, total: number): Held {
  return { hits: total, days: ledger && daysOf({ ledger, years }, total) };
}

function yearsOf({ years = NONE }: KvRecord): number[] {
  return years.map(({ year }) => year);
}
