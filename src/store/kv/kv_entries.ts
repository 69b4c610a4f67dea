import { Problem } from "../../problem.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { MAX_HITS, type Outcome } from "../../counter/store.ts";

/** A counter as Deno KV holds it. */
export interface Entry {
  readonly outcome: Outcome;
  /** Changes with every write; null where nothing is held. */
  readonly versionstamp: string | null;
}

/** Which entries of a database are counters: the key of each is [prefix, id]. */
export interface KvCounters {
  kv: Deno.Kv;
  prefix: string;
}

/** How many keys one `getMany` may have (docs.deno.com, "Key-value store limits"). */
const KEYS_PER_READ = 10;
const ABSENT: Entry = { outcome: 0, versionstamp: null };

/** Asks the database for counters, in the order of the ids. */
export async function readEntries(
  { kv, prefix }: KvCounters,
  ids: readonly CounterId[],
): Promise<Entry[]> {
  const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
  for (let start = 0; start < ids.length; start += KEYS_PER_READ) {
    const keys = ids.slice(start, start + KEYS_PER_READ).map((id) => [prefix, id]);
    reads.push(kv.getMany<unknown[]>(keys));
  }
  return (await Promise.all(reads)).flat().map(entryOf);
}

/** What an addition makes of a counter. */
export function totalAfter({ outcome }: Entry = ABSENT, amount: number): Outcome {
  if (typeof outcome !== "number") return outcome;
  return outcome + amount <= MAX_HITS ? outcome + amount : new Problem("counter-full");
}

function entryOf({ value, versionstamp }: Deno.KvEntryMaybe<unknown>): Entry {
  if (versionstamp === null) return ABSENT;
  const counter = value instanceof Deno.KvU64 && value.value <= BigInt(MAX_HITS);
  return { outcome: counter ? Number(value.value) : new Problem("not-a-counter"), versionstamp };
}
