import { MAX_ID_BYTES } from "../../counter/counter_id.ts";

/** Where a Deno KV keeps what belongs to the counters under a prefix. */
export interface KvKeys {
  /** The total of a counter, a KvU64. */
  total(id: string): Deno.KvKey;
  /** The ledger of its days; apart from the totals, as beside them every commit would be dearer. */
  ledger(id: string): Deno.KvKey;
  /** The days of a year that is over. */
  year(id: string, year: number): Deno.KvKey;
  /** The most bytes that one of these keys can have. */
  readonly longest: number;
}

/** What the keys of everything but totals begin with. */
export const OWN = "tallymark";

/** What a key has beside prefix and id: names, a number, and marks between the parts. */
const REST_OF_KEY = 40;

/** The keys of the counters under a prefix. */
export function kvKeys(prefix: string): KvKeys {
  return {
    total: (id) => [prefix, id],
    ledger: (id) => [OWN, "days", prefix, id],
    year: (id, year) => [OWN, "years", prefix, id, year],
    longest: new TextEncoder().encode(prefix).length + MAX_ID_BYTES + REST_OF_KEY,
  };
}
