import type { KnownKeys } from "../../domain/planner.ts";
import { type Day, DAY_MS, LAST_DAY } from "../../domain/history.ts";
import type { OnceAddition, Write } from "../../domain/store.ts";
import { idsOf } from "../../domain/update.ts";
import { additionKey, dayBucketAt } from "./kv_layout.ts";
import {
  KEYS_PER_READ,
  type KvEntry,
  type KvPlace,
  type KvRecord,
  readHistories,
  recordOf,
  withYears,
} from "./records.ts";

/** Maximum number of reads of a counter that other processes write to all the time. */
const MAX_READS = 20;

/** A counter with the deduplication keys of a request that are stored. */
export type OnceRecord = KvRecord & { readonly known: KnownKeys };

/**
 * Reads a counter with its ledger, and which keys and visitors of hits are stored, all from one
 * instant. If every hit is a repeat, nothing is written, so no commit would notice a change.
 */
export async function readForOnce(
  place: KvPlace,
  { id, hits }: OnceAddition,
  day: Day,
): Promise<OnceRecord> {
  const { kv, keys } = place;
  const time = Date.now();
  const buckets = [dayBucketAt(time), dayBucketAt(time) - 1];
  const names = [...new Set(hits.flatMap(({ key }) => key ?? []))];
  const visitors = [...new Set(hits.flatMap(({ visitor }) => visitor ?? []))];
  const [counter, others] = await readTogether(kv, [keys.total(id), keys.ledger(id)], [
    ...buckets.map((bucket) => keys.deleted(id, bucket)),
    ...visitors.map((visitor) => keys.visitor(visitor, day)),
    ...names.flatMap((key) => buckets.map((bucket) => keys.idempotencyKey(id, key, bucket))),
  ]);
  const next = others.values();
  const nextOfEach = () => buckets.map(() => next.next().value);
  const [deletedAt = ""] = nextOfEach().map((entry) => entry?.versionstamp ?? "").sort().reverse();
  const isValid = (entry: KvEntry | undefined) => (entry?.versionstamp ?? "") > deletedAt;
  const repeats = visitors.filter(() => isValid(next.next().value));
  const numbers = names.flatMap((name): [string, number][] => {
    const found = nextOfEach().filter(isValid).map((entry) => numberIn(entry, time));
    return found.flatMap((number) => number === undefined ? [] : [[name, number]]);
  });
  const known = { keys: new Map(numbers), visitors: new Set(repeats) };
  const record = { ...recordOf(place, id, counter), known };
  return await withYears(place, record, LAST_DAY);
}

/**
 * Reads the counters of writes with all years, and whether additions were made before. Their names
 * are read after the records, so that one that another process adds in between changes the total as
 * well.
 */
export async function readForWrites(
  place: KvPlace,
  writes: readonly Write[],
): Promise<(KvRecord | undefined)[]> {
  const { kv, keys } = place;
  const ids = writes.flatMap(idsOf);
  const records = await readHistories(place, ids.map((id) => ({ id, since: -Infinity })));
  const found = new Map(records.map((record) => [record.id, record]));
  const time = Date.now();
  return await Promise.all(writes.map(async ({ id, update, to }) => {
    const record = found.get(id);
    if (record === undefined || to !== undefined) {
      return record && { ...record, target: to && found.get(to) };
    }
    const name = update?.name;
    if (name === undefined) return record;
    const buckets = [dayBucketAt(time), dayBucketAt(time) - 1];
    const entries = await kv.getMany<unknown[]>(
      buckets.map((bucket) => keys.idempotencyKey(id, additionKey(name), bucket)),
    );
    return { ...record, isRepeat: entries.some((entry) => numberIn(entry, time) !== undefined) };
  }));
}

/** Reads the entries of a counter and others from one instant, in a shared database too. */
async function readTogether(
  kv: Deno.Kv,
  counter: readonly Deno.KvKey[],
  others: readonly Deno.KvKey[],
): Promise<[counter: KvEntry[], others: KvEntry[]]> {
  const size = KEYS_PER_READ - counter.length;
  for (let read = 0; read < MAX_READS; read++) {
    const reads: Promise<KvEntry[]>[] = [];
    for (let start = 0; start < others.length; start += size) {
      reads.push(kv.getMany<unknown[]>([...counter, ...others.slice(start, start + size)]));
    }
    const found = await Promise.all(reads);
    if (new Set(found.map(([total]) => total?.versionstamp)).size > 1) continue;
    return [found[0] ?? [], found.flatMap((entries) => entries.slice(counter.length))];
  }
  throw new Error("Other processes write to a counter all the time");
}

/** Returns the number of the first hit with a key, for as long as another hit is a repeat. */
function numberIn(entry: KvEntry | undefined, now: number): number | undefined {
  const [hits, time]: readonly unknown[] = Array.isArray(entry?.value) ? entry.value : [];
  const isRecent = typeof time === "number" && now - time < DAY_MS;
  return typeof hits === "number" && isRecent ? hits : undefined;
}
