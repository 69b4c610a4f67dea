import type { Day } from "../../src/counter/days.ts";

/** What a counter holds, as the model keeps it; `days` has no day without hits. */
export interface Counter {
  readonly hits: number;
  /** Undefined where history has not begun. */
  readonly days: ReadonlyMap<Day, number> | undefined;
  /** The newest day that was ever open, which never goes back; -Infinity where there is no history. */
  readonly newest: Day;
  /** The newest day that was open, or that it was, when the counter was removed. */
  readonly former: Day;
  /** The day on which it was removed last, by the clock of whoever did it. */
  readonly removed: Day;
  /** The numbers of hits by the keys that they were sent with, and 0 for each visitor of a day. */
  readonly marks: ReadonlyMap<string, number>;
}

/** What is done to a counter; `day` is what the clock of whoever does it shows. */
export type Op =
  | { readonly kind: "add"; readonly amount: number; readonly day: Day }
  | {
    readonly kind: "set";
    /** Undefined where the total grows by as much as the days do, which is of the larger ones only. */
    readonly hits: number | undefined;
    readonly days: ReadonlyMap<Day, number> | undefined;
    readonly mode: "replace" | "max";
    readonly day: Day;
  }
  | { readonly kind: "once"; readonly key?: string; readonly visitor?: string; readonly day: Day }
  | { readonly kind: "delete"; readonly day: Day }
  | { readonly kind: "total" }
  | { readonly kind: "history"; readonly since: Day };

/** What an operation tells: a number, what the counter held, or what became of a hit that counts once. */
export type Seen = number | CounterState | { readonly hits: number; readonly repeat: boolean };

/** What a counter held. */
export type CounterState = Pick<Counter, "hits" | "days">;

/** What sets a counter. */
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

/** What may become of a counter, and what whoever asked for it is told. */
export function apply(counter: Counter, op: Op): { counter: Counter; seen: Seen }[] {
  switch (op.kind) {
    case "add":
      return [...daysFor(counter, op.day)].map((day) => {
        const added = add(counter, { amount: op.amount, day });
        return { counter: added, seen: added.hits };
      });
    case "once":
      return once(counter, op);
    case "set":
      return [...newestAfter(counter, op)].map((newest) => {
        return { counter: set(counter, { ...op, newest }), seen: held(counter) };
      });
    case "delete": {
      const former = Math.max(counter.former, counter.newest, op.day);
      return [{ counter: { ...NOTHING, former, removed: op.day }, seen: held(counter) }];
    }
    case "total":
      return [{ counter, seen: counter.hits }];
    case "history":
      return [{ counter, seen: held(counter, op.since) }];
  }
}

/** What can be compared as text; no known days and days without hits are the same. */
export function textOf(seen: Seen): string {
  if (typeof seen === "number") return String(seen);
  if ("repeat" in seen) return `${seen.hits}${seen.repeat ? " again" : ""}`;
  const days = [...seen.days ?? []].filter(([, hits]) => hits > 0).sort(([a], [b]) => a - b);
  return `${seen.hits} ${JSON.stringify(days)}`;
}

/** An operation in one line, days and all. */
export function opText(op: Op): string {
  const days = op.kind === "set" && op.days ? ` with days ${JSON.stringify([...op.days])}` : "";
  return `${JSON.stringify(op)}${days}`;
}

/** The days that a hit may belong to: the newest is open, and where the clock shows a later one, that is opened. */
function daysFor({ newest, former, removed }: Counter, day: Day): Set<Day> {
  const days = new Set([Math.max(day, newest)]);
  if (former <= newest) return days;
  // A store may keep in mind which day was open before the counter was removed, as that never goes back; and a process
  // that takes this one to be open still, as it was not who removed the counter, may not open it anew: its hits belong to
  // the day of whoever was there since, or of whoever removed it.
  days.add(Math.max(day, former));
  return day <= former ? days.add(newest > -Infinity ? newest : removed) : days;
}

function add(counter: Counter, { amount, day }: { amount: number; day: Day }): Counter {
  const days = new Map(counter.days);
  days.set(day, (days.get(day) ?? 0) + amount);
  return { ...counter, hits: counter.hits + amount, days, newest: day };
}

/** A key is looked at before a visitor. */
function once(
  counter: Counter,
  { key, visitor, day }: Op & { kind: "once" },
): { counter: Counter; seen: Seen }[] {
  const [sent, came] = [`key ${key}`, `visitor ${visitor} of ${day}`];
  const first = key === undefined ? undefined : counter.marks.get(sent);
  if (first !== undefined) return [{ counter, seen: { hits: first, repeat: true } }];
  const repeat = visitor !== undefined && counter.marks.has(came);
  const after = repeat
    ? [counter]
    : [...daysFor(counter, day)].map((day) => add(counter, { amount: 1, day }));
  return after.map((added) => {
    const marks = new Map(counter.marks);
    if (key !== undefined) marks.set(sent, added.hits);
    if (visitor !== undefined) marks.set(came, 0);
    return { counter: { ...added, marks }, seen: { hits: added.hits, repeat } };
  });
}

function held({ hits, days }: Counter, since = -Infinity): CounterState {
  return { hits, days: days && new Map([...days].filter(([day]) => day >= since)) };
}

/** The days that may be open after a set: a store may keep in mind on which day the counter was removed. */
function newestAfter({ newest, removed }: Counter, { day, days }: Setting): Set<Day> {
  const latest = Math.max(day, newest, ...(days?.keys() ?? []));
  return new Set(newest > -Infinity ? [latest] : [latest, Math.max(latest, removed)]);
}

function set(counter: Counter, { hits, days, mode, newest }: Setting & { newest: Day }): Counter {
  const larger = mode === "max";
  const known = counter.days ?? new Map<Day, number>();
  const after = days === undefined ? known : larger ? largest(known, days) : days;
  const grown = counter.hits + sumOf(after) - sumOf(known);
  return {
    hits: hits === undefined ? grown : larger ? Math.max(hits, counter.hits) : hits,
    days: after,
    newest,
    former: counter.former,
    removed: counter.removed,
    marks: counter.marks,
  };
}

function sumOf(days: ReadonlyMap<Day, number>): number {
  return days.values().reduce((sum, hits) => sum + hits, 0);
}

function largest(
  one: ReadonlyMap<Day, number>,
  other: ReadonlyMap<Day, number>,
): ReadonlyMap<Day, number> {
  const both = new Map(one);
  for (const [day, hits] of other) both.set(day, Math.max(hits, both.get(day) ?? 0));
  return both;
}
