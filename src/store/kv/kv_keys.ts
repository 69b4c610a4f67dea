import { MAX_ID_BYTES } from "../../counter/counter_id.ts";

/** Where a Deno KV keeps what belongs to the counters under a prefix. */
export interface KvKeys {
  /** The total of a counter, a KvU64. */
  total(id: string): Deno.KvKey;
  /** The ledger of its days; apart from the totals, as beside them every commit would be dearer. */
  ledger(id: string): Deno.KvKey;
  /** The days of a year that is over. */
  year(id: string, year: number): Deno.KvKey;
  /** The mark of a key that makes hits the same, among those of its time. */
  once(id: string, mark: { key: string; generation: number }): Deno.KvKey;
  /** The mark of a visitor of a day. */
  seen(visitor: string, day: number): Deno.KvKey;
  /** Says that a counter was deleted, among those of a time: what was marked before is of a former life. */
  deleted(id: string, generation: number): Deno.KvKey;
  /** A row of the journal. */
  row(number: number): Deno.KvKey;
  /** The most bytes that one of these keys can have. */
  readonly longest: number;
}

/** What the keys of everything but totals begin with. */
export const OWN = "tallymark";

/** Where the salt of a day lies; the counters of all prefixes share it. */
export function saltKey(day: number): Deno.KvKey {
  return [OWN, "salt", day];
}

/** What a key has beside prefix and id: names, a number, what a caller chose, and marks between the parts. */
const REST_OF_KEY = 110;

/** The keys of the counters under a prefix. */
export function kvKeys(prefix: string): KvKeys {
  return {
    total: (id) => [prefix, id],
    ledger: (id) => [OWN, "days", prefix, id],
    year: (id, year) => [OWN, "years", prefix, id, year],
    once: (id, { key, generation }) => [OWN, "once", generation, prefix, id, key],
    seen: (visitor, day) => [OWN, "seen", day, prefix, visitor],
    deleted: (id, generation) => [OWN, "deleted", generation, prefix, id],
    row: (number) => [OWN, "journal", prefix, number],
    longest: new TextEncoder().encode(prefix).length + MAX_ID_BYTES + REST_OF_KEY,
  };
}
