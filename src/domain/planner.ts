/**
 * Plans changes of counters. From the stored record of a counter and a request, each function
 * returns the result for the caller and the writes. This module reads and writes nothing.
 *
 * Deno KV commits every plan. Redis commits those of sets and deletions. It decides hits in scripts
 * (`scripts.ts`), because a plan would take a second round trip, so the rules about hits are in
 * both files.
 *
 * A plan is valid only while the counter is as it was read. The store has to commit it under that
 * condition, or plan again.
 *
 * @example
 * ```ts
 * const { result, writes } = planHits(record, 3, currentDays(calendar));
 * if (writes !== undefined) await commit(record, writes);
 * return result; // The new total, or the failure of this counter.
 * ```
 */
import { type CurrentDays, dropAhead, isAhead, isOpenOn, stateOf } from "./calendar.ts";
import {
  type CounterRecord,
  type CounterState,
  type Day,
  type Days,
  daysOf,
  historyOf,
  type OpenYear,
  type Report,
  rollOverDay,
  type YearEntry,
} from "./history.ts";
import { type DeduplicationKeys, MAX_HITS, type OnceOutcome, type Update } from "./store.ts";
import { applyUpdate, isEmpty, isReport, refusalOf } from "./update.ts";
import { Failure } from "./errors.ts";

/** The outcome of a request, and the writes that it takes. */
export interface Plan<Result> {
  /** The answer to the caller, valid once the writes are stored. */
  readonly result: Result | Failure;
  /** Undefined if nothing changes. */
  readonly writes?: Writes | undefined;
  /** The writes of the counter that gets what this one had, to be stored in the same step. */
  readonly gained?: Writes | undefined;
}

/** The changes of one counter, to be stored in one step. */
export interface Writes {
  /** The new total. Undefined deletes the counter, and with it all its deduplication keys. */
  readonly total: number | undefined;
  /** Undefined if the days stay as they are, which is true of nearly every hit. */
  readonly history?: HistoryWrites | undefined;
  readonly deduplication?: NewKeys;
  /**
   * Undefined if the report stays as it is, null if it is deleted. A report is never written
   * without the ledger, so that a reader who finds the ledger unchanged has the right report.
   */
  readonly report?: Report | null | undefined;
  /** The name of an addition, which is stored with it. It outlives the counter. */
  readonly name?: string | undefined;
  /** True if the deduplication keys of a deleted counter stay, because it was moved or undone. */
  readonly keepsKeys?: boolean;
}

/** The changes of the days of a counter. */
export interface HistoryWrites {
  /** Undefined deletes the ledger. */
  readonly ledger: OpenYear | undefined;
  /** The closed years to store. */
  readonly years: readonly YearEntry[];
  /** The closed years to delete. */
  readonly deletedYears: readonly number[];
}

/** Deduplication keys that are stored, or that are to be stored. */
export interface KnownKeys {
  /** The numbers of hits by their idempotency keys. */
  readonly keys: ReadonlyMap<string, number>;
  readonly visitors: ReadonlySet<string>;
}

/** The deduplication keys that hits leave, so that later hits are found to be repeats. */
export interface NewKeys extends KnownKeys {
  /** The day of the visitors. */
  readonly day: Day;
}

/** Hits of one counter with deduplication keys, and those of the keys that are stored. */
export interface OnceRequest {
  readonly hits: readonly DeduplicationKeys[];
  readonly known: KnownKeys;
  readonly now: CurrentDays;
}

/** Plans hits. The result is the new total. */
export function planHits(record: CounterRecord, amount: number, now: CurrentDays): Plan<number> {
  const { total } = record;
  if (typeof total !== "number") return { result: total };
  const sum = total + amount;
  if (sum > MAX_HITS) return { result: new Failure("counter-full") };
  // Store the ledger of a deleted counter again although its day is open, because it may expire.
  const isOpen = record.exists && isOpenOn(record.openDay, now);
  const history = isOpen ? undefined : openDay(record, total, now);
  return { result: sum, writes: { total: sum, history } };
}

/** Plans hits with deduplication keys. The result has one outcome for each hit. */
export function planOnce(
  record: CounterRecord,
  { hits, known, now }: OnceRequest,
): Plan<readonly OnceOutcome[]> {
  const { total } = record;
  if (typeof total !== "number") return { result: total };
  const { amount, outcomes, keys, visitors } = deduplicate(hits, { total, known });
  if (amount === 0 && keys.size === 0) return { result: outcomes };
  const deduplication = { keys, visitors, day: now.today };
  // New keys need the write of a total even if no hit counts: only the total guards them against
  // other writers. Repeats open and end no day.
  if (amount === 0) return { result: outcomes, writes: { total, deduplication } };
  const { result, writes } = planHits(record, amount, now);
  if (result instanceof Failure) return { result };
  return { result: outcomes, writes: writes && { ...writes, deduplication } };
}

/**
 * Counts hits of one counter in order, starting from a total. Returns the number of hits that
 * count, the outcome of each hit, and the keys to store.
 */
export function deduplicate(
  hits: readonly DeduplicationKeys[],
  { total, known }: { total: number; known: KnownKeys },
) {
  const keys = new Map<string, number>();
  const visitors = new Set<string>();
  let amount = 0;
  const outcomes = hits.map(({ key, visitor, remember }): OnceOutcome => {
    const first = key === undefined ? undefined : keys.get(key) ?? known.keys.get(key);
    if (first !== undefined) return { hits: first, repeat: true };
    const repeat = visitor !== undefined && (visitors.has(visitor) || known.visitors.has(visitor));
    if (!repeat) amount++;
    if (!repeat && visitor !== undefined && remember === true) visitors.add(visitor);
    if (key !== undefined) keys.set(key, total + amount);
    return { hits: total + amount, repeat };
  });
  return { amount, outcomes, keys, visitors };
}

/**
 * Plans an update, or a deletion or move if `update` is undefined. The result is the previous state
 * of the counter. It names the report only if that changes, so that setting the counter to the
 * result undoes the change.
 */
export function planWrite(
  record: CounterRecord,
  update: Update | undefined,
  now: CurrentDays,
): Plan<CounterState> {
  const before = stateOf(record, now);
  if (before instanceof Failure) return { result: before };
  if (update === undefined) return planRemoval(record, before, now);
  const { report: last = null, ...state } = before;
  if (record.isRepeat === true) {
    // Write the same total, so that replicas confirm an addition whose first caller may have waited
    // for them in vain. A counter that was deleted has none.
    return { result: state, writes: record.exists ? { total: before.hits } : undefined };
  }
  const isNew = !record.exists || isEmpty(before);
  const { hits, days, report } = applyUpdate(update, { before, today: now.today, isNew });
  const refusal = refusalOf({ hits, days });
  if (refusal !== undefined) return { result: refusal };
  const isReported = report !== before.report;
  const result = isReported ? { ...state, report: last } : state;
  if (isReport(update) && !isReported) return { result };
  // The undo of what created a counter deletes it. Its deduplication keys stay, as after a move.
  const isUndone = update.mode === "add" && (update.hits ?? 0) < 0 && hits === 0 && !report;
  const left = isUndone && Math.max(0, ...days.hits) === 0 && deletion(record);
  if (left) return { result, writes: { ...left, keepsKeys: true, name: update.name } };
  // The ledger is always stored: without one, hits of a process that knows the day to be open would
  // belong to no day.
  const history = replaceDays(record, days, hits);
  const writes = { total: hits, history, name: update.name };
  // Also if it stays the same, so that a report that arrives at the same moment is a conflict.
  const isNamed = update.report !== undefined;
  return { result, writes: isNamed ? { ...writes, report: report ?? null } : writes };
}

/** Plans a deletion or a move of a counter, whose state is `before`. */
function planRemoval(
  record: CounterRecord,
  before: CounterState,
  now: CurrentDays,
): Plan<CounterState> {
  const { target, exists } = record;
  const left = deletion(record);
  if (target === undefined) return { result: before, writes: left };
  if (!exists || left === undefined) return { result: before };
  const report = before.report && { ...before.report, day: now.today };
  const { result, writes: gained } = planWrite(target, { ...before, report, mode: "add" }, now);
  if (result instanceof Failure) return { result };
  return { result: before, writes: { ...left, keepsKeys: true }, gained };
}

/** Returns the writes that open a day. */
function openDay(record: CounterRecord, total: number, now: CurrentDays): HistoryWrites {
  const known = record.ledger;
  if (known !== undefined && isAhead(known.openDay, now)) {
    const days = daysOf({ ledger: known, years: record.years ?? [] }, total);
    return replaceDays(record, dropAhead(days, now), total);
  }
  const { ledger, over } = rollOverDay({ ledger: known, total }, now.today);
  return { ledger, years: over === undefined ? [] : [over], deletedYears: [] };
}

/** Returns the writes that replace all days of a counter with this total. */
function replaceDays(record: CounterRecord, days: Days, total: number): HistoryWrites {
  const { ledger, years } = historyOf(days, total);
  const kept = new Set(years.map(({ year }) => year));
  return { ledger, years, deletedYears: storedYears(record).filter((year) => !kept.has(year)) };
}

/** Returns undefined if nothing is stored of the counter. */
function deletion(record: CounterRecord): Writes | undefined {
  if (!record.exists && record.ledger === undefined) return undefined;
  const history = { ledger: undefined, years: [], deletedYears: storedYears(record) };
  return { total: undefined, history, report: null };
}

function storedYears({ years = [] }: CounterRecord): number[] {
  return years.map(({ year }) => year);
}
