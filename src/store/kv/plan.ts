import { type Day, daysOf, type Held, historyOf, openDay } from "../../counter/days.ts";
import type { Ledger, YearEntry } from "../../counter/days.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { applied, refusalOf, type Setting } from "../../counter/setting.ts";
import { countOnce, type OnceOutcome } from "../../counter/once.ts";
import { type Addition, MAX_HITS, type OnceAddition } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { NewMarks } from "./kv_marks.ts";
import type { KvRecord } from "./kv_records.ts";

/** What becomes of one counter. */
export type Change =
  | Addition & { readonly kind: "add" }
  | OnceAddition & { readonly kind: "once" }
  | Setting & { readonly kind: "set"; readonly id: CounterId }
  | { readonly kind: "delete"; readonly id: CounterId };

/** What a change comes to, by its kind: the new number, what became of each hit, or what the counter held before. */
export type ChangeOutcome = number | readonly OnceOutcome[] | Held | Problem;

/** What a change makes of a counter. */
export interface Plan {
  readonly change: Change;
  /** The counter as it was read, or is taken to be. */
  readonly before: KvRecord;
  /** What the caller is told once it is written. */
  readonly outcome: ChangeOutcome;
  /** Undefined where nothing changes. */
  readonly writes: Writes | undefined;
}

/** What to write of a counter. */
export interface Writes {
  /** Undefined where the counter ends. */
  readonly total: number | undefined;
  /** Undefined where it stays as it is, as for nearly every hit. */
  readonly history: HistoryWrites | undefined;
  /** What makes later hits the same as these. */
  readonly marks?: NewMarks;
}

/** What to write of the days of a counter. */
export interface HistoryWrites {
  /** Undefined where there shall be none. */
  readonly ledger: Ledger | undefined;
  /** The years whose days are new. */
  readonly years: readonly YearEntry[];
  /** The years whose days end. */
  readonly goneYears: readonly number[];
}

/** What a change makes of a counter; where it is none of hits, the record has the ledger and all years. */
export function planOf(change: Change, before: KvRecord, today: Day): Plan {
  const { outcome: total } = before;
  if (typeof total !== "number") return { change, before, outcome: total, writes: undefined };
  const { outcome, writes } = resultOf(change, { before, total, today });
  return { change, before, outcome, writes };
}

type Result = Pick<Plan, "outcome" | "writes">;

interface Situation {
  before: KvRecord;
  total: number;
  today: Day;
}

function resultOf(change: Change, situation: Situation): Result {
  switch (change.kind) {
    case "add":
      return added(change.amount, situation);
    case "once":
      return addedOnce(change, situation);
    case "set":
      return replaced(change, situation);
    case "delete":
      return deleted(situation);
  }
}

function added(amount: number, situation: Situation): Result {
  const { before, total, today } = situation;
  const outcome = total + amount;
  if (outcome > MAX_HITS) return { outcome: new Problem("counter-full"), writes: undefined };
  const history = before.openDay >= today ? undefined : opened(situation);
  return { outcome, writes: { total: outcome, history } };
}

function opened({ before, total, today }: Situation): HistoryWrites {
  const { ledger, over } = openDay({ ledger: before.ledger, total }, today);
  // Where the ledger is damaged, of years that nobody knows of any more.
  const goneYears = before.ledger === undefined ? yearsOf(before) : NONE;
  return { ledger, years: over === undefined ? NONE : [over], goneYears };
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
function replaced(setting: Setting, { before, total, today }: Situation): Result {
  const held = heldIn(before, total);
  const { hits, days } = applied(setting, { held, today });
  const refusal = refusalOf({ hits, days });
  if (refusal !== undefined) return { outcome: refusal, writes: undefined };
  const { ledger, years } = historyOf(days, hits);
  const staying = new Set(years.map(({ year }) => year));
  const goneYears = yearsOf(before).filter((year) => !staying.has(year));
  return { outcome: held, writes: { total: hits, history: { ledger, years, goneYears } } };
}

function deleted({ before, total }: Situation): Result {
  const outcome = heldIn(before, total);
  if (before.versionstamp === null && (before.ledgerStamp ?? null) === null) {
    return { outcome, writes: undefined };
  }
  const history = { ledger: undefined, years: NONE, goneYears: yearsOf(before) };
  return { outcome, writes: { total: undefined, history } };
}

const NONE: readonly never[] = [];

/** What a record holds at a total, as far as its years reach. */
export function heldIn({ ledger, years = NONE }: KvRecord, total: number): Held {
  return { hits: total, days: ledger && daysOf({ ledger, years }, total) };
}

function yearsOf({ years = NONE }: KvRecord): number[] {
  return years.map(({ year }) => year);
}
