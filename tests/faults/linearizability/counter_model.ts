import { type DatedReport, type Day, formatDay, type Report } from "../../../src/domain/history.ts";

/** A counter of the model. `days` has no day without hits. */
export interface Counter {
  readonly hits: number;
  /** Undefined where history has not begun. */
  readonly days: ReadonlyMap<Day, number> | undefined;
  /** The last report. Null in a previous state if there was none and the change set one. */
  readonly report?: Report | null | undefined;
  /**
   * The newest day that was ever open, which never goes back; -Infinity where there is no history.
   */
  readonly newest: Day;
  /**
   * The newest day that was open, or that it was, when the counter was removed, or when a process
   * took it for the mistake of a clock.
   */
  readonly former: Day;
  /** The day of the last deletion, by the clock of the process that deleted it. */
  readonly removed: Day;
  /**
   * The numbers of hits by the keys that they were sent with, and 0 for each visitor of a day and
   * for each name of an addition. Names outlive the counter.
   */
  readonly marks: ReadonlyMap<string, number>;
}

/** The date by the clock of the process that runs an operation, and its date in 15 minutes. */
interface Dated {
  readonly day: Day;
  /** Default: the date. */
  readonly latest?: Day;
}

/** An operation on a counter. */
export type Op =
  | Dated & { readonly kind: "add"; readonly amount: number }
  | Dated & {
    readonly kind: "set";
    /**
     * Undefined where the total grows by as much as the days do or a report says, which is of the
     * larger ones only.
     */
    readonly hits: number | undefined;
    readonly days: ReadonlyMap<Day, number> | undefined;
    readonly report?: DatedReport | null | undefined;
    readonly mode: "replace" | "max" | "add";
    /** The name of an addition, which is made once. */
    readonly name?: string;
  }
  | Dated & { readonly kind: "once"; readonly key?: string; readonly visitor?: string }
  | Dated & { readonly kind: "delete" }
  | { readonly kind: "total" }
  | Dated & { readonly kind: "history"; readonly since: Day };

/**
 * The result of an operation: a number, the state before it, or the outcome of a deduplicated hit.
 */
export type Seen = number | CounterState | { readonly hits: number; readonly repeat: boolean };

/** The visible state of a counter. */
export type CounterState = Pick<Counter, "hits" | "days" | "report">;

/** An operation that sets a counter. */
export type Setting = Op & { readonly kind: "set" };

/** A counter that was never hit. */
export const NOTHING: Counter = {
  hits: 0,
  days: undefined,
  newest: -Infinity,
  former: -Infinity,
  removed: -Infinity,
  marks: new Map(),
};

/** The beginning of the mark of an addition. */
export const NAME = "name ";

/** Returns the possible states after an operation, each with its result. */
export function apply(stored: Counter, op: Op): { counter: Counter; seen: Seen }[] {
  const counter = "day" in op ? healed(stored, op) : stored;
  switch (op.kind) {
    case "add":
      return addedTo(counter, { stored, ...op }).map((added) => {
        return { counter: added, seen: added.hits };
      });
    case "once":
      return once(counter, { stored, ...op });
    case "set":
      return set(counter, op).map((after) =>
        after.counter === counter ? { ...after, counter: stored } : after
      );
    case "delete": {
      const former = Math.max(counter.former, counter.newest, op.day);
      const marks = new Map([...counter.marks].filter(([mark]) => mark.startsWith(NAME)));
      return [{ counter: { ...NOTHING, former, removed: op.day, marks }, seen: held(counter) }];
    }
    case "total":
      return [{ counter, seen: counter.hits }];
    case "history":
      return [{ counter: stored, seen: held(counter, op.since) }];
  }
}

/**
 * Returns a text for comparisons. A counter without known days equals one without hits on any day.
 */
export function textOf(seen: Seen): string {
  if (typeof seen === "number") return String(seen);
  if ("repeat" in seen) return `${seen.hits}${seen.repeat ? " again" : ""}`;
  const days = [...seen.days ?? []].filter(([, hits]) => hits > 0).sort(([a], [b]) => a - b);
  const report = seen.report === undefined ? "" : ` ${JSON.stringify(seen.report)}`;
  return `${seen.hits} ${JSON.stringify(days)}${report}`;
}

/** An operation in one line, days and all. */
export function opText(op: Op): string {
  const days = op.kind === "set" && op.days ? ` with days ${JSON.stringify([...op.days])}` : "";
  return `${JSON.stringify(op)}${days}`;
}

/**
 * The counter as a process sees it whose clock shows a day. An open day that is more than 15
 * minutes away is not its own: its hits are hits of the day, and days between belong to none.
 */
function healed(counter: Counter, { day, latest = day }: Dated): Counter {
  const { newest, days } = counter;
  if (newest <= latest || days === undefined) return counter;
  const kept = new Map([...days].filter(([known]) => known < day));
  const hits = (days.get(day) ?? 0) + (days.get(newest) ?? 0);
  if (hits > 0) kept.set(day, hits);
  return { ...counter, days: kept, newest: day, former: Math.max(counter.former, newest) };
}

/**
 * The days that a hit may belong to: the newest is open, and where the clock shows a later one,
 * that is opened.
 */
function daysFor({ newest, former, removed }: Counter, day: Day): Set<Day> {
  const days = new Set([Math.max(day, newest)]);
  if (former <= newest) return days;
  // A store may remember which day was open before the deletion, because that never goes back. A
  // process that did not delete the counter may take this day to be open, and must not open it
  // again. Its hits belong to the open day of the last process that hit or deleted the counter.
  days.add(Math.max(day, former));
  return day <= former ? days.add(newest > -Infinity ? newest : removed) : days;
}

/**
 * The counters after a hit. A process that takes its own day to be open does not look at the open
 * day, so that its hit belongs to that of the counter as it is stored.
 */
function addedTo(
  counter: Counter,
  { stored, amount, day }: { stored: Counter; amount: number; day: Day },
): Counter[] {
  const after = [...daysFor(counter, day)].map((day) => add(counter, { amount, day }));
  return counter === stored ? after : [...after, add(stored, { amount, day: stored.newest })];
}

function add(counter: Counter, { amount, day }: { amount: number; day: Day }): Counter {
  const days = new Map(counter.days);
  days.set(day, (days.get(day) ?? 0) + amount);
  return { ...counter, hits: counter.hits + amount, days, newest: day };
}

/** A key is looked at before a visitor. */
function once(
  counter: Counter,
  { stored, key, visitor, day }: Op & { kind: "once" } & { stored: Counter },
): { counter: Counter; seen: Seen }[] {
  const [sent, came] = [`key ${key}`, `visitor ${visitor} of ${day}`];
  const first = key === undefined ? undefined : counter.marks.get(sent);
  if (first !== undefined) return [{ counter: stored, seen: { hits: first, repeat: true } }];
  const repeat = visitor !== undefined && counter.marks.has(came);
  const after = repeat ? [stored] : addedTo(counter, { stored, amount: 1, day });
  return after.map((added) => {
    const marks = new Map(counter.marks);
    if (key !== undefined) marks.set(sent, added.hits);
    if (visitor !== undefined) marks.set(came, 0);
    return { counter: { ...added, marks }, seen: { hits: added.hits, repeat } };
  });
}

function held({ hits, days, report }: Counter, since = -Infinity): CounterState {
  return { hits, days: days && new Map([...days].filter(([day]) => day >= since)), report };
}

/**
 * The days that may be open after a set: a store may keep in mind on which day the counter was
 * removed.
 */
function newestAfter({ newest, removed }: Counter, day: Day, named: readonly Day[]): Set<Day> {
  const latest = Math.max(day, newest, ...named);
  return new Set(newest > -Infinity ? [latest] : [latest, Math.max(latest, removed)]);
}

/** A setting tells what the counter held, and names the report only where it changes. */
function set(counter: Counter, op: Setting): { counter: Counter; seen: Seen }[] {
  const { hits, days, report, mode, day, name } = op;
  if (name !== undefined && counter.marks.has(NAME + name)) {
    return [{ counter, seen: { ...held(counter), report: undefined } }];
  }
  if (hits === undefined && report) return addReport(counter, { ...op, report });
  const larger = mode === "max";
  const merge = larger ? Math.max : (one: number, other: number) => one + other;
  const known = counter.days ?? new Map<Day, number>();
  const after = days === undefined ? known : mode === "replace" ? days : merged(known, days, merge);
  const grown = counter.hits + sumOf(after) - sumOf(known);
  const isKept = report === undefined || larger && !isLater(report, counter.report);
  const changed = {
    ...counter,
    hits: hits === undefined ? grown : mode === "replace" ? hits : merge(hits, counter.hits),
    days: after,
    report: isKept || report === undefined ? counter.report : undated(report),
    ...name !== undefined && { marks: new Map(counter.marks).set(NAME + name, 0) },
  };
  return outcomes(counter, { changed, day, named: [...days?.keys() ?? []] });
}

/**
 * Adds the growth since the last report to the day of this one. The first number of a new counter
 * belongs to no day.
 */
function addReport(
  counter: Counter,
  { report, day }: Setting & { report: DatedReport },
): { counter: Counter; seen: Seen }[] {
  const last = counter.report;
  if (!isLater(report, last)) return [{ counter, seen: { ...held(counter), report: undefined } }];
  const isNew = counter.days === undefined;
  const growth = isNew ? 0 : last ? Math.max(0, report.seen - last.seen) : 0;
  const days = new Map(counter.days);
  const named = growth > 0 ? [report.day] : [];
  for (const each of named) days.set(each, (days.get(each) ?? 0) + growth);
  const hits = isNew ? report.seen : counter.hits + growth;
  const changed = { ...counter, hits, days, report: undated(report) };
  return outcomes(counter, { changed, day, named });
}

function outcomes(
  counter: Counter,
  { changed, day, named }: { changed: Counter; day: Day; named: readonly Day[] },
): { counter: Counter; seen: Seen }[] {
  const isNamed = changed.report !== counter.report;
  const seen = { ...held(counter), report: isNamed ? counter.report ?? null : undefined };
  return [...newestAfter(counter, day, named)].map((newest) => {
    return { counter: { ...changed, newest }, seen };
  });
}

function isLater(report: Report | null, last: Report | null | undefined): boolean {
  return report !== null && report.at > (last?.at ?? -Infinity);
}

function undated(report: Report | null): Report | undefined {
  return report === null ? undefined : { seen: report.seen, at: report.at };
}

/** A setting as a line of an import. */
export function lineOf({ hits, days, report }: Setting, id?: string): string {
  const named = days && Object.fromEntries([...days].map(([day, hits]) => [formatDay(day), hits]));
  const seen = report && { seen: report.seen, at: new Date(report.at).toISOString() };
  return JSON.stringify({ id, hits, days: named, ...(report === null ? { seen: null } : seen) });
}

function sumOf(days: ReadonlyMap<Day, number>): number {
  return days.values().reduce((sum, hits) => sum + hits, 0);
}

function merged(
  one: ReadonlyMap<Day, number>,
  other: ReadonlyMap<Day, number>,
  merge: (one: number, other: number) => number,
): ReadonlyMap<Day, number> {
  const both = new Map(one);
  for (const [day, hits] of other) both.set(day, merge(hits, both.get(day) ?? 0));
  return both;
}
