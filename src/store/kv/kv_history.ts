import { type Held, yearsSince } from "../../counter/days.ts";
import type { HistoryQuestion } from "../../counter/store.ts";
import type { Problem } from "../../problem.ts";
import type { KvDatabase } from "./kv_database.ts";
import { type KvRecord, readYears } from "./kv_records.ts";
import { heldIn } from "./plan.ts";

/** Records with their ledgers and the years that are asked for, each of one instant, in the order of the questions. */
export async function readHistories(
  place: KvDatabase,
  questions: readonly HistoryQuestion[],
): Promise<KvRecord[]> {
  const asked = questions.map(({ id }) => ({ id, withLedger: true }));
  const records = await place.read(asked);
  return await Promise.all(records.map((record, index) => {
    const question = questions[index];
    return question === undefined ? record : withYears(place, { question, record });
  }));
}

/** What a record holds, as far as its years reach; a problem where it is no counter. */
export function heldOf(record: KvRecord): Held | Problem {
  const { outcome } = record;
  return typeof outcome === "number" ? heldIn(record, outcome) : outcome;
}

/** Years that are over change only together with the ledger: where that changes meanwhile, they are read again. */
async function withYears(
  place: KvDatabase,
  { question, record }: { question: HistoryQuestion; record: KvRecord },
): Promise<KvRecord> {
  const { id, since } = question;
  if (record.ledger === undefined || yearsSince(record.ledger, since).length === 0) return record;
  const years = await readYears(place, { id, years: yearsSince(record.ledger, since) });
  const [after = record] = await place.read([{ id, withLedger: true }]);
  if (after.ledgerStamp === record.ledgerStamp) return { ...after, years };
  return await withYears(place, { question, record: after });
}
