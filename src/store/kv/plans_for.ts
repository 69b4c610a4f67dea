import { type Day, yearsSince } from "../../counter/days.ts";
import type { KnownMarks } from "../../counter/once.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { Change, OnceAddition } from "../../counter/store.ts";
import type { KvDatabase } from "./kv_database.ts";
import { readMarks } from "./kv_marks.ts";
import { type KvRecord, readYears } from "./kv_records.ts";
import { type Plan, planOf } from "./plan.ts";

/** The kinds of changes that are hits. */
const ADDING: ReadonlySet<Change["kind"]> = new Set(["add", "once"]);

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
  const planAll = (asked: readonly KvRecord[], marks: readonly KnownMarks[] = []): Plan[] => {
    const [rest, marksOfEach] = [asked.values(), marks.values()];
    return changes.map((change, index) => {
      const record = records[index] ?? rest.next().value;
      if (record === undefined) throw new TypeError("Plan a change: its record was not asked for");
      return change.kind === "once"
        ? planOf(change, withMarks(record, marksOfEach.next().value), options.today)
        : planOf(change, record, options.today);
    });
  };
  const additions = changes.filter((change) => change.kind === "once");
  if (additions.length > 0) {
    return askAll({ unknown, additions }, options).then(([asked, marks]) => planAll(asked, marks));
  }
  return unknown.length === 0 ? planAll([]) : ask(unknown, options).then((asked) => planAll(asked));
}

/** The marks after the records: who leaves a mark writes the total too, which the commit would notice. */
async function askAll(
  { unknown, additions }: { unknown: readonly Change[]; additions: readonly OnceAddition[] },
  options: PlansForOptions,
): Promise<[KvRecord[], KnownMarks[]]> {
  const { database, today } = options;
  const asked = unknown.length === 0 ? [] : await ask(unknown, options);
  const marks = additions.map((addition) => readMarks(database, { addition, day: today }));
  return [asked, await Promise.all(marks)];
}

function withMarks(record: KvRecord, marks: KnownMarks | undefined): KvRecord {
  if (marks === undefined) throw new TypeError("Plan hits: their marks were not asked for");
  return { ...record, marks };
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
  { database, today }: PlansForOptions,
): Promise<KvRecord[]> {
  const questions = changes.map(({ id, kind }) => {
    return { id, withLedger: !ADDING.has(kind) || !database.isOpen(id, today) };
  });
  let records = await database.read(questions);
  // A counter that somebody removed has no day open any more, whatever is remembered of it.
  if (records.some(({ versionstamp }, index) => !versionstamp && !questions[index]?.withLedger)) {
    records = await database.read(changes.map(({ id }) => ({ id, withLedger: true })));
  }
  return await Promise.all(records.map((record, index) => {
    const change = changes[index];
    return change === undefined || ADDING.has(change.kind)
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
