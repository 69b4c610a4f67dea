import type { CounterId } from "../../counter/counter_id.ts";
import type { KvKeys } from "./kv_keys.ts";
import { KEY_BYTES_PER_COMMIT, MUTATIONS_PER_COMMIT, VALUE_BYTES_PER_COMMIT } from "./kv_limits.ts";
import { entriesOf, generationAt } from "./kv_marks.ts";
import type { KvPlace, KvRecord } from "./kv_records.ts";
import { encodeLedger, encodeYear } from "./ledger_code.ts";
import type { HistoryWrites, Plan, Writes } from "./plan.ts";

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

/** The most bytes that a number of hits or a day takes, and what a value has beside its numbers. */
const NUMBER_BYTES = 8;
const VALUE_BYTES = 50;

/** Where plans are committed to: how many checks a commit may have there, and how long a key may be, in bytes. */
export interface CommitBounds {
  readonly checks: number;
  readonly longestKey: number;
}

/** Cuts plans into parts of which each fits into one commit. */
export function commitParts(plans: readonly Plan[], bounds: CommitBounds): Plan[][] {
  let load = new Load(bounds);
  let part: Plan[] = [];
  const parts = [part];
  for (const plan of plans) {
    load.add(plan.writes);
    if (!load.fits) {
      load = new Load(bounds);
      load.add(plan.writes);
      part = [];
      parts.push(part);
    }
    part.push(plan);
  }
  return parts;
}

/** What a commit holds; looked at for each hit, so it is counted without lists. */
class Load {
  readonly #bounds: CommitBounds;
  #checks = 0;
  #mutations = 0;
  #numbers = 0;

  constructor(bounds: CommitBounds) {
    this.#bounds = bounds;
  }

  get fits(): boolean {
    const { checks, longestKey } = this.#bounds;
    return this.#checks <= checks && this.#mutations <= MUTATIONS_PER_COMMIT &&
      this.#mutations * longestKey <= KEY_BYTES_PER_COMMIT &&
      this.#mutations * VALUE_BYTES + this.#numbers * NUMBER_BYTES <= VALUE_BYTES_PER_COMMIT;
  }

  add(writes: Writes | undefined): void {
    if (writes === undefined) return;
    const { total, history, marks } = writes;
    this.#checks++;
    this.#mutations++;
    // That it was deleted is noted.
    if (total === undefined) this.#mutations++;
    if (marks !== undefined) this.#mutations += marks.keys.size + marks.visitors.size;
    if (history === undefined) return;
    const { ledger, years, goneYears } = history;
    this.#mutations += 1 + years.length + goneYears.length;
    this.#numbers += ledger?.before.length ?? 0;
    for (const { hits } of years) this.#numbers += hits.length;
  }
}
