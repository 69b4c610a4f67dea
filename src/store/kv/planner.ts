import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import {
  type CounterState,
  type Day,
  historyOf,
  type Ledger,
  rollOverDay,
  type YearEntry,
  yearsSince,
} from "../../counter/days.ts";
import { deduplicate, type OnceOutcome } from "../../counter/once.ts";
import { applyUpdate, refusalOf } from "../../counter/update.ts";
import { type Addition, MAX_HITS, type OnceAddition, type Write } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { KvDatabase } from "./database.ts";
import {
  type NewDeduplicationKeys,
  readKnownKeys,
  readRecordWithKnownKeys,
} from "./deduplication_keys.ts";
import { createRangeReader } from "./range_reads.ts";
import { contentOf, isDamaged, type KvRecord, readAllYears, readYears } from "./records.ts";

/** What a step of the store makes of one counter. */
export interface Plan<Outcome = unknown> {
  readonly id: CounterId;
  /** Whether hits are added to it. */
  readonly isHit: boolean;
  /** The counter as it was read, or is assumed to be. */
  readonly before: KvRecord;
  /** What the caller gets once this is written. */
  readonly outcome: Outcome | Problem;
  /** Undefined if nothing changes. */
  readonly writes: Writes | undefined;
}

/** What to write of a counter. */
export interface Writes {
  /** Undefined if the counter is deleted. */
  readonly total: number | undefined;
  /** Undefined for nearly every hit: one that writes a total alone may go to the journal. */
  readonly beside: RelatedWrites | undefined;
}

/** What to write in the same commit as a total. */
export interface RelatedWrites {
  /** Undefined if the days stay as they are. */
  readonly history?: HistoryWrites | undefined;
  readonly deduplication?: NewDeduplicationKeys;
}

/** What to write of the days of a counter. */
export interface HistoryWrites {
  /** Undefined if it is deleted. */
  readonly ledger: Ledger | undefined;
  /** The closed years whose days are new. */
  readonly years: readonly YearEntry[];
  /** The closed years whose days are deleted. */
  readonly deletedYears: readonly number[];
}

/**
 * Reads what counters hold and decides what to write, a function for each verb of the store. Nothing is written here: the
 * commit of a plan checks that its counter is still as it was read, and if it is not, the plan is made anew.
 */
export interface Planner {
  /** At once if nothing has to be read. */
  additions(additions: readonly Addition[]): Plan<number>[] | Promise<Plan<number>[]>;
  onceAdditions(additions: readonly OnceAddition[]): Promise<Plan<readonly OnceOutcome[]>[]>;
  /** `isRetry` says that the commit of the plans before met a conflict. */
  writes(writes: readonly Write[], isRetry: boolean): Promise<Plan<CounterState>[]>;
}

/** From how many counters on that are set together they may be inserted without a look at them. */
const MANY = 20;
/** For how many calls counters are read first after one existed already. */
const READS_AFTER_CONFLICT = 19;

/** What an optimistic insert assumes of a counter. */
const ABSENT: KvRecord = { outcome: 0, versionstamp: null, openDay: -Infinity };

/** Whether it was assumed and not read that the counter does not exist. */
export function assumesAbsent({ before }: Plan): boolean {
  return before === ABSENT;
}

export function createPlanner(database: KvDatabase, calendar: Calendar): Planner {
  const readRange = createRangeReader();
  /** For how many calls counters are still read first. */
  let readsLeft = 0;

  function additions(additions: readonly Addition[]): Plan<number>[] | Promise<Plan<number>[]> {
    const today = calendar.today();
    const plans: Plan<number>[] = [];
    for (const addition of additions) {
      const record = openRecord(addition.id, today);
      if (record === undefined) return additionsToRead(additions, today);
      plans.push(additionPlan(addition, record, today));
    }
    return plans;
  }

  async function additionsToRead(
    additions: readonly Addition[],
    today: Day,
  ): Promise<Plan<number>[]> {
    const records = await recordsForHits(additions, today);
    return each(additions, records, (addition, record) => additionPlan(addition, record, today));
  }

  async function onceAdditions(
    additions: readonly OnceAddition[],
  ): Promise<Plan<readonly OnceOutcome[]>[]> {
    const today = calendar.today();
    const records = database.isShared
      ? await Promise.all(additions.map((addition) => sharedRecordForOnce(addition, today)))
      : await recordsForOnce(additions, today);
    return each(additions, records, (addition, record) => oncePlan(addition, record, today));
  }

  async function recordsForOnce(
    additions: readonly OnceAddition[],
    today: Day,
  ): Promise<KvRecord[]> {
    const records = await recordsForHits(additions, today);
    return await Promise.all(each(additions, records, async (addition, record) => {
      return { ...record, known: await readKnownKeys(database, addition, today) };
    }));
  }

  /** All of one instant: if every hit is a repeat nothing is written, so that no commit would notice a change meanwhile. */
  async function sharedRecordForOnce(addition: OnceAddition, today: Day): Promise<KvRecord> {
    const query = { id: addition.id, withLedger: true };
    const [record] = await database.read([query], readRecordWithKnownKeys(addition, today));
    if (record === undefined) throw new TypeError("Plan hits that count once: no record was read");
    return await withDamagedYears(addition.id, record);
  }

  async function writes(writes: readonly Write[], isRetry: boolean): Promise<Plan<CounterState>[]> {
    const today = calendar.today();
    if (isRetry) readsLeft = READS_AFTER_CONFLICT;
    else if (mayInsert(writes)) {
      if (readsLeft === 0) return writes.map((write) => writePlan(write, ABSENT, today));
      readsLeft--;
    }
    const queries = writes.map(({ id }) => ({ id, withLedger: true }));
    // Not for deletions, which also end what is left of the days of a counter without a total.
    const areSets = writes.every(({ update }) => update !== undefined);
    const found = await database.read(queries, areSets ? readRange : undefined);
    const records = await Promise.all(each(writes, found, ({ id }, record) => {
      return withAllYears(id, record);
    }));
    return each(writes, records, (write, record) => writePlan(write, record, today));
  }

  /** An import mostly sets counters that do not exist yet, and to read them first takes about as long as to write them. */
  function mayInsert(writes: readonly Write[]): boolean {
    return writes.length >= MANY && writes.every(({ id, update }) => {
      return update !== undefined && database.known(id) === undefined;
    });
  }

  /** The record of a counter whose day is open, if it is known: a hit needs nothing else. */
  function openRecord(id: CounterId, today: Day): KvRecord | undefined {
    const record = database.known(id);
    return record !== undefined && record.openDay >= today ? record : undefined;
  }

  async function recordsForHits(
    hits: readonly { readonly id: CounterId }[],
    today: Day,
  ): Promise<KvRecord[]> {
    const known = hits.map(({ id }) => openRecord(id, today));
    const unknown = hits.filter((_, index) => known[index] === undefined);
    const read = (unknown.length === 0 ? [] : await readForHits(unknown, today)).values();
    return each(hits, known.map((record) => record ?? read.next().value), (_, record) => record);
  }

  async function readForHits(
    hits: readonly { readonly id: CounterId }[],
    today: Day,
  ): Promise<KvRecord[]> {
    const queries = hits.map(({ id }) => ({ id, withLedger: !database.isOpen(id, today) }));
    let records = await database.read(queries);
    // The day of a counter that somebody deleted is open no more, whatever is remembered of it.
    if (records.some(({ versionstamp }, index) => !versionstamp && !queries[index]?.withLedger)) {
      records = await database.read(hits.map(({ id }) => ({ id, withLedger: true })));
    }
    return await Promise.all(each(hits, records, ({ id }, record) => {
      return withDamagedYears(id, record);
    }));
  }

  /** With the years that a damaged ledger leaves behind, which nothing refers to any more: they are deleted. */
  async function withDamagedYears(id: CounterId, record: KvRecord): Promise<KvRecord> {
    return isDamaged(record) ? { ...record, years: await readAllYears(database, id) } : record;
  }

  async function withAllYears(id: CounterId, record: KvRecord): Promise<KvRecord> {
    if (record.ledger?.firstYear === undefined) return await withDamagedYears(id, record);
    const years = yearsSince(record.ledger, -Infinity);
    return { ...record, years: await readYears(database, { id, years }) };
  }

  return { additions, onceAdditions, writes };
}

/** Goes through what was asked for with its records, which were read in the same order. */
function each<Item, Result>(
  items: readonly Item[],
  records: readonly (KvRecord | undefined)[],
  result: (item: Item, record: KvRecord) => Result,
): Result[] {
  return items.map((item, index) => {
    const record = records[index];
    if (record === undefined) throw new TypeError("Plan a change: its record was not read");
    return result(item, record);
  });
}

/** What hits make of a counter. Hot path: one object for each counter, without copies. */
export function additionPlan({ id, amount }: Addition, before: KvRecord, today: Day): Plan<number> {
  const { outcome: total } = before;
  if (typeof total !== "number") {
    return { id, isHit: true, before, outcome: total, writes: undefined };
  }
  const sum = total + amount;
  if (sum > MAX_HITS) {
    return { id, isHit: true, before, outcome: new Problem("counter-full"), writes: undefined };
  }
  const beside = before.openDay >= today ? undefined : { history: opened(before, total, today) };
  return { id, isHit: true, before, outcome: sum, writes: { total: sum, beside } };
}

function opened(before: KvRecord, total: number, today: Day): HistoryWrites {
  const { ledger, over } = rollOverDay({ ledger: before.ledger, total }, today);
  const deletedYears = before.ledger === undefined ? yearsOf(before) : NONE;
  return { ledger, years: over === undefined ? NONE : [over], deletedYears };
}

/** Writes the total even if none of the hits counts: its check guards the deduplication keys. */
function oncePlan(
  { id, hits }: OnceAddition,
  before: KvRecord,
  today: Day,
): Plan<readonly OnceOutcome[]> {
  const plan = { id, isHit: true, before };
  const { outcome: total, known = NOTHING_KNOWN } = before;
  if (typeof total !== "number") return { ...plan, outcome: total, writes: undefined };
  const { amount, outcomes, keys, visitors } = deduplicate(hits, { total, known });
  const areRepeats = amount === 0 && keys.size === 0;
  if (areRepeats) return { ...plan, outcome: outcomes, writes: undefined };
  const { outcome, writes } = additionPlan({ id, amount }, before, today);
  if (outcome instanceof Problem) return { ...plan, outcome, writes: undefined };
  const beside = { ...writes?.beside, deduplication: { keys, visitors, day: today } };
  return { ...plan, outcome: outcomes, writes: { total: outcome, beside } };
}

const NOTHING_KNOWN = { keys: new Map<string, number>(), visitors: new Set<string>() };

function writePlan({ id, update }: Write, before: KvRecord, today: Day): Plan<CounterState> {
  const plan = { id, isHit: false, before };
  const held = contentOf(before);
  if (held instanceof Problem) return { ...plan, outcome: held, writes: undefined };
  if (update === undefined) return { ...plan, outcome: held, writes: deletion(before) };
  const { hits, days } = applyUpdate(update, { held, today });
  const refusal = refusalOf({ hits, days });
  if (refusal !== undefined) return { ...plan, outcome: refusal, writes: undefined };
  // Always with a ledger: otherwise hits of a process that remembers the day as open would belong to no day.
  const { ledger, years } = historyOf(days, hits);
  const staying = new Set(years.map(({ year }) => year));
  const deletedYears = yearsOf(before).filter((year) => !staying.has(year));
  const beside = { history: { ledger, years, deletedYears } };
  return { ...plan, outcome: held, writes: { total: hits, beside } };
}

/** Undefined if nothing is stored of the counter. */
function deletion(before: KvRecord): Writes | undefined {
  if (before.versionstamp === null && (before.ledgerStamp ?? null) === null) return undefined;
  const history = { ledger: undefined, years: NONE, deletedYears: yearsOf(before) };
  return { total: undefined, beside: { history } };
}

function yearsOf({ years = NONE }: KvRecord): number[] {
  return years.map(({ year }) => year);
}

const NONE: readonly never[] = [];
