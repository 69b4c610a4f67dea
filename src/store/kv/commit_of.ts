import type { KvPlace, KvRecord } from "./kv_records.ts";
import { entriesOf } from "./kv_marks.ts";
import { encodeLedger, encodeYear } from "./ledger_code.ts";
import type { Plan } from "./plan.ts";

/** Where to commit, and how long marks stay there by themselves; for ever where they are swept. */
export interface CommitPlace extends KvPlace {
  readonly markLifetime?: { readonly expireIn: number };
}

/** One commit of all that plans write, unless somebody writes to one of their counters in between. */
export function commitOf(plans: readonly Plan[], place: CommitPlace): Deno.AtomicOperation {
  const { kv, keys, markLifetime = {} } = place;
  const operation = kv.atomic();
  for (const { change: { id }, before, writes } of plans) {
    if (writes === undefined) continue;
    const { total, ledger, years, goneYears, marks } = writes;
    const key = keys.total(id);
    // Nobody writes a ledger without its total, so that this guards both.
    operation.check({ key, versionstamp: before.versionstamp });
    // Never `sum`: where one mutation is refused because of its type, the others of its commit are stored.
    if (total !== undefined) operation.set(key, new Deno.KvU64(BigInt(total)));
    else operation.delete(key).delete(keys.ledger(id));
    if (ledger !== undefined) operation.set(keys.ledger(id), encodeLedger(ledger));
    for (const entry of years) operation.set(keys.year(id, entry.year), encodeYear(entry));
    for (const year of goneYears) operation.delete(keys.year(id, year));
    for (const mark of marks === undefined ? [] : entriesOf(id, { marks, place })) {
      operation.set(mark.key, mark.value, markLifetime);
    }
  }
  return operation;
}

/** What is known of a counter after that commit; of one that ended, that nothing is held. */
export function recordAfter({ before, writes }: Plan, versionstamp: string): KvRecord {
  if (writes === undefined) return before;
  const { total, ledger } = writes;
  if (total === undefined) return { outcome: 0, versionstamp: null, openDay: -Infinity };
  return { outcome: total, versionstamp, openDay: ledger?.openDay ?? before.openDay };
}
