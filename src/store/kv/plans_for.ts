import { type Day, yearsSince } from "../../counter/days.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { Change } from "../../counter/store.ts";
import type { KvDatabase } from "./kv_database.ts";
import { type KvRecord, readYears } from "./kv_records.ts";
import { type Plan, planOf } from "./plan.ts";

/** Options of {@linkcode plansFor}. */
export interface PlansForOptions {
  database: KvDatabase;
  today: Day;
}

/** What changes make of their counters; at once where nothing has to be asked for. */
export function plansFor(
  changes: readonly Change[],
  options: PlansForOptions,
): Plan[] | Promise<Plan[]> {
  const records = changes.map((change) => knownRecord(change, options));
  const unknown = changes.filter((_, index) => records[index] === undefined);
  const planAll = (asked: readonly KvRecord[]): Plan[] => {
    const rest = asked.values();
    return changes.map((change, index) => {
      const record = records[index] ?? rest.next().value;
      if (record === undefined) throw new TypeError("Plan a change: its record was not asked for");
      return planOf(change, record, options.today);
    });
  };
  return unknown.length === 0 ? planAll([]) : ask(unknown, options).then(planAll);
}

/** The record of a counter, where hits need no more of it and it need not be asked for. */
function knownRecord(change: Change, { database, today }: PlansForOptions): KvRecord | undefined {
  if (change.kind !== "add") return undefined;
  const record = database.known(change.id);
  return record !== undefined && record.openDay >= today ? record : undefined;
}

/** Asks for records with all that their changes need. */
async function ask(
  changes: readonly Change[],
  { database, today }: PlansForOptions,
): Promise<KvRecord[]> {
  const questions = changes.map(({ id, kind }) => {
    return { id, withLedger: kind !== "add" || !database.isOpen(id, today) };
  });
  let records = await database.read(questions);
  // A counter that somebody removed has no day open any more, whatever is remembered of it.
  if (records.some(({ versionstamp }, index) => !versionstamp && !questions[index]?.withLedger)) {
    records = await database.read(changes.map(({ id }) => ({ id, withLedger: true })));
  }
  return await Promise.all(records.map((record, index) => {
    const change = changes[index];
    return change === undefined || change.kind === "add"
      ? record
      : withYears(database, { id: change.id, record });
  }));
}

async function withYears(
  database: KvDatabase,
  { id, record }: { id: CounterId; record: KvRecord },
): Promise<KvRecord> {
  if (record.ledger?.firstYear === undefined) return record;
  const years = yearsSince(record.ledger, -Infinity);
  return { ...record, years: await readYears(database, { id, years }) };
}
