import { type Day, yearsSince } from "../../counter/days.ts";
import type { KvDatabase } from "./kv_database.ts";
import { readMarks, readWithMarks } from "./kv_marks.ts";
import {
  isDamaged,
  type KvRecord,
  readAllYears,
  type readRecords,
  readYears,
} from "./kv_records.ts";
import { type Change, type Plan, planOf } from "./plan.ts";

/** The kinds of changes that are hits. */
const ADDING: ReadonlySet<Change["kind"]> = new Set(["add", "once"]);

export interface PlansForOptions {
  database: KvDatabase;
  today: Day;
  /** How to ask for many counters that probably lie near each other. */
  readNear: typeof readRecords;
}

/** What changes make of their counters; at once where nothing has to be asked for. */
export function plansFor(
  changes: readonly Change[],
  options: PlansForOptions,
): Plan[] | Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const change of changes) {
    const record = change.kind === "add" ? knownRecord(change, options) : undefined;
    if (record === undefined) return askedPlans(changes, options);
    plans.push(planOf(change, record, options.today));
  }
  return plans;
}

async function askedPlans(changes: readonly Change[], options: PlansForOptions): Promise<Plan[]> {
  const { database, today } = options;
  if (database.isShared && changes.some(({ kind }) => kind === "once")) {
    return await Promise.all(changes.map((change) => sharedPlan(change, options)));
  }
  const known = changes.map((change) => knownRecord(change, options));
  const unknown = changes.filter((_, index) => known[index] === undefined);
  const asked = (unknown.length === 0 ? [] : await ask(unknown, options)).values();
  const records = known.map((record) => record ?? asked.next().value);
  return await Promise.all(changes.map(async (change, index) => {
    const record = records[index];
    if (record === undefined) throw new TypeError("Plan a change: its record was not asked for");
    if (change.kind !== "once") return planOf(change, record, today);
    const marks = await readMarks(database, { addition: change, day: today });
    return planOf(change, { ...record, marks }, today);
  }));
}

/** What hits that count once come to: nothing of that is guarded by a commit where all of them are repeats. */
async function sharedPlan(change: Change, options: PlansForOptions): Promise<Plan> {
  const { database, today } = options;
  if (change.kind !== "once") {
    throw new TypeError("Plan a change: it is not of hits that count once");
  }
  const asked = [{ id: change.id, withLedger: true }];
  const [record] = await database.read(asked, readWithMarks({ addition: change, day: today }));
  if (record === undefined) throw new TypeError("Plan a change: its record was not asked for");
  return planOf(change, await withYears(database, { change, record }), today);
}

/** The record of a counter, where hits need no more of it and it need not be asked for. */
function knownRecord(change: Change, { database, today }: PlansForOptions): KvRecord | undefined {
  if (!ADDING.has(change.kind)) return undefined;
  const record = database.known(change.id);
  return record !== undefined && record.openDay >= today ? record : undefined;
}

/** Asks for records with all that their changes need. */
async function ask(
  changes: readonly Change[],
  { database, today, readNear }: PlansForOptions,
): Promise<KvRecord[]> {
  const questions = changes.map(({ id, kind }) => {
    return { id, withLedger: !ADDING.has(kind) || !database.isOpen(id, today) };
  });
  // Sets that come in great numbers are of an import, which is in order.
  const alike = changes.every(({ kind }) => kind === "set");
  let records = await database.read(questions, alike ? readNear : undefined);
  // A counter that somebody removed has no day open any more, whatever is remembered of it.
  if (records.some(({ versionstamp }, index) => !versionstamp && !questions[index]?.withLedger)) {
    records = await database.read(changes.map(({ id }) => ({ id, withLedger: true })));
  }
  return await Promise.all(records.map((record, index) => {
    const change = changes[index];
    return change === undefined ? record : withYears(database, { change, record });
  }));
}

async function withYears(
  database: KvDatabase,
  { change: { id, kind }, record }: { change: Change; record: KvRecord },
): Promise<KvRecord> {
  if (isDamaged(record)) return { ...record, years: await readAllYears(database, id) };
  if (ADDING.has(kind) || record.ledger?.firstYear === undefined) return record;
  const years = yearsSince(record.ledger, -Infinity);
  return { ...record, years: await readYears(database, { id, years }) };
}
