import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import type { KnownKeys } from "../../counter/once.ts";
import type { OnceAddition } from "../../counter/store.ts";
import type { KvKeys } from "./layout.ts";
import { KEYS_PER_READ } from "./limits.ts";
import { type KvPlace, readKeys, type readRecords, recordOf } from "./records.ts";

/** For how long a hit with the same key is a repeat. */
const KEY_LIFETIME_MS = 86_400_000;

/** What hits leave behind so that later ones are found to be repeats. */
export interface NewDeduplicationKeys {
  /** The numbers of hits by their keys. */
  readonly keys: ReadonlyMap<string, number>;
  readonly visitors: ReadonlySet<string>;
  /** The day on which the visitors came. */
  readonly day: Day;
}

/** Keys are stored by the day on which they came, so that they can be swept together; each is looked for in two of these. */
export function dayBucketAt(time: number): number {
  return Math.floor(time / KEY_LIFETIME_MS);
}

/** The entries of deduplication keys of a counter. */
export function entriesOf(
  { keys: numbers, visitors, day }: NewDeduplicationKeys,
  { id, keys }: { id: CounterId; keys: KvKeys },
): { key: Deno.KvKey; value: [hits: number, time: number] | true }[] {
  const time = Date.now();
  const bucket = dayBucketAt(time);
  return [
    ...numbers.entries().map(([key, hits]) => ({
      key: keys.once(id, { key, bucket }),
      value: [hits, time] satisfies [number, number],
    })),
    ...visitors.keys().map((visitor) => ({
      key: keys.seen(visitor, day),
      value: true as const,
    })),
  ];
}

/** Reads which of the keys and visitors of hits on a day are known. */
export async function readKnownKeys(
  place: KvPlace,
  addition: OnceAddition,
  day: Day,
): Promise<KnownKeys> {
  const lookup = lookupOf(place, addition, day);
  return lookup.knownIn(await readKeys(place.kv, lookup.keys));
}

/** How often a counter is read again because others wrote to it meanwhile. */
const MOST_TRIES = 20;

/** Reads a counter with its ledger and the keys that are known, all of one instant although others write as well. */
export function readRecordWithKnownKeys(addition: OnceAddition, day: Day): typeof readRecords {
  return async (place) => {
    const { kv, keys } = place;
    const counter = [keys.total(addition.id), keys.ledger(addition.id)];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const lookup = lookupOf(place, addition, day);
      const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
      const atOnce = KEYS_PER_READ - counter.length;
      for (let start = 0; start < lookup.keys.length; start += atOnce) {
        const some = lookup.keys.slice(start, start + atOnce);
        reads.push(kv.getMany<unknown[]>([...counter, ...some]));
      }
      const found = await Promise.all(reads);
      if (new Set(found.map(([total]) => total?.versionstamp)).size > 1) continue;
      const [total, ledger] = found[0] ?? [];
      const known = lookup.knownIn(found.flatMap((entries) => entries.slice(counter.length)));
      return [{ ...recordOf(place, total, ledger), known }];
    }
    throw new Error("Others write to a counter all the time");
  };
}

/** What to read to find repeats among hits, and what is known by what was found. */
function lookupOf({ keys }: KvPlace, { id, hits }: OnceAddition, day: Day) {
  const time = Date.now();
  const buckets = [dayBucketAt(time), dayBucketAt(time) - 1];
  const given = [...new Set(hits.flatMap(({ key }) => key ?? []))];
  const visitors = [...new Set(hits.flatMap(({ visitor }) => visitor ?? []))];
  return {
    keys: [
      ...buckets.map((bucket) => keys.deleted(id, bucket)),
      ...visitors.map((visitor) => keys.seen(visitor, day)),
      ...given.flatMap((key) => buckets.map((bucket) => keys.once(id, { key, bucket }))),
    ],
    knownIn(found: readonly Deno.KvEntryMaybe<unknown>[]): KnownKeys {
      const stored = found.slice(buckets.length);
      const deleted = found.slice(0, buckets.length)
        .reduce((latest, { versionstamp }) => later(latest, versionstamp ?? ""), "");
      const isValid = (entry?: Deno.KvEntryMaybe<unknown>) => (entry?.versionstamp ?? "") > deleted;
      const numbers = new Map<string, number>();
      given.forEach((key, index) => {
        const place = visitors.length + index * buckets.length;
        const number = stored.slice(place, place + buckets.length)
          .filter(isValid)
          .map((entry) => numberIn(entry, time))
          .find((number) => number !== undefined);
        if (number !== undefined) numbers.set(key, number);
      });
      const seen = visitors.filter((_, index) => isValid(stored[index]));
      return { keys: numbers, visitors: new Set(seen) };
    },
  };
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** The number of the first hit with a key, for as long as another with it is a repeat. */
function numberIn({ value }: Deno.KvEntryMaybe<unknown>, now: number): number | undefined {
  if (!Array.isArray(value)) return undefined;
  const [hits, time]: readonly unknown[] = value;
  if (typeof hits !== "number" || typeof time !== "number") return undefined;
  return now - time < KEY_LIFETIME_MS ? hits : undefined;
}
