import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import type { Recent } from "../../recent.ts";
import type { KvPlace, KvRecord, Question, readRecords } from "./kv_records.ts";
import type { Plan } from "./plan.ts";

/** How to ask for records, and what is known of their days. */
export interface ReadOpenOptions {
  ask: typeof readRecords;
  openDays: Recent<CounterId, Day>;
  questions: readonly Question[];
}

/** Asks for records, and fills in the open days that are known where the ledgers are not asked for. */
export async function readOpen(
  place: KvPlace,
  { ask, openDays, questions }: ReadOpenOptions,
): Promise<KvRecord[]> {
  // Now: who asks for no ledger has just found the day open, and it may be forgotten meanwhile.
  const days = questions.map(({ id }) => openDays.get(id) ?? -Infinity);
  const records = await ask(place, questions);
  return records.map((record, index) =>
    questions[index]?.withLedger ? record : { ...record, openDay: days[index] ?? -Infinity }
  );
}

/** Notes what a hit that looked at the ledger found out of its counter; `after` is its record once it is written. */
export function noteOpenDay(
  openDays: Recent<CounterId, Day>,
  { change: { id, kind }, before, writes }: Plan,
  after: KvRecord,
): void {
  if (after.versionstamp === null) openDays.delete(id);
  // An import sets more counters than can be remembered, and few of them are hit on that day.
  else if (kind !== "set" && (before.ledger ?? writes?.history) !== undefined) {
    openDays.set(id, after.openDay);
  }
}
