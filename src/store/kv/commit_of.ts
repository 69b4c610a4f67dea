import type { CounterId } from "../../counter/counter_id.ts";
import type { KvKeys } from "./kv_keys.ts";
import type { KvPlace, KvRecord } from "./kv_records.ts";
import { entriesOf, generationAt } from "./kv_marks.ts";
import { encodeLedger, encodeYear } from "./ledger_code.ts";
import type { HistoryWrites, Plan } from "./plan.ts";

/** How long an entry stays in the database, in milliseconds; for ever unless it says so. */
type Lifetime = { readonly expireIn?: number };

/** Where to commit, and how long the marks of keys and of visitors stay there; nothing is given where they are swept. */
export interface CommitPlace extends KvPlace {
  readonly keyLifetime?: Lifetime;
  /** Asked for only if there are visitors. */
  visitorLifetime?(): Lifetime;
}

/** One commit of all that plans write, unless somebody writes to one of their counters in between. */
export function commitOf(plans: readonly Plan[], place: CommitPlace): Deno.AtomicOperation {
  const { kv, keys, keyLifetime = {} } = place;
  const operation = kv.atomic();
  for (const { change: { id }, before, writes } of plans) {
    if (writes === undefined) continue;
    const { total, history, marks } = writes;
    const key = keys.total(id);
    // Nobody writes a ledger without its total, so that this guards both.
    operation.check({ key, versionstamp: before.versionstamp });
    // Never `sum`: where one mutation is refused because of its type, the others of its commit are stored.
    if (total === undefined) {
      operation.delete(key).set(keys.deleted(id, generationAt(Date.now())), true, keyLifetime);
    } else operation.set(key, new Deno.KvU64(BigInt(total)));
    if (history !== undefined) writeHistory(operation, { id, keys, ...history });
    if (marks === undefined) continue;
    const visitorLifetime = marks.visitors.size > 0 ? place.visitorLifetime?.() : undefined;
    for (const { key, value } of entriesOf(id, { marks, place })) {
      operation.set(key, value, value === true ? visitorLifetime : keyLifetime);
    }
  }
  return operation;
}

/** What is known of a counter after that commit; of one that ended, that nothing is held. */
export function recordAfter({ before, writes }: Plan, versionstamp: string | null): KvRecord {
  if (writes === undefined) return before;
  const { total, history } = writes;
  if (total === undefined) return { outcome: 0, versionstamp: null, openDay: -Infinity };
  return { outcome: total, versionstamp, openDay: history?.ledger?.openDay ?? before.openDay };
}

function writeHistory(
  operation: Deno.AtomicOperation,
  { id, keys, ledger, years, goneYears }: HistoryWrites & { id: CounterId; keys: KvKeys },
): void {
  if (ledger === undefined) operation.delete(keys.ledger(id));
  else operation.set(keys.ledger(id), encodeLedger(ledger));
  for (const entry of years) operation.set(keys.year(id, entry.year), encodeYear(entry));
  for (const year of goneYears) operation.delete(keys.year(id, year));
}
