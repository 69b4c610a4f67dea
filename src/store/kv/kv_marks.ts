import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import type { KnownMarks } from "../../counter/once.ts";
import type { OnceAddition } from "../../counter/store.ts";
import { type KvPlace, readKeys } from "./kv_records.ts";

/** How long a key makes hits the same. */
const KEY_LIFETIME_MS = 86_400_000;

/** The marks that hits leave. */
export interface NewMarks {
  /** The numbers of hits by their keys. */
  readonly keys: ReadonlyMap<string, number>;
  readonly visitors: ReadonlySet<string>;
  /** The day on which the visitors came. */
  readonly day: Day;
}

/** One mark as it is written. */
export interface MarkEntry {
  readonly key: Deno.KvKey;
  readonly value: readonly [hits: number, time: number] | true;
}

/** The time in which keys lie together, so that they can be swept together; a key is looked for in two of them. */
export function generationAt(time: number): number {
  return Math.floor(time / KEY_LIFETIME_MS);
}

/** What to write of the marks of a counter. */
export function entriesOf(
  id: CounterId,
  { marks, place: { keys } }: { marks: NewMarks; place: KvPlace },
): MarkEntry[] {
  const time = Date.now();
  return [
    ...marks.keys.entries().map(([key, hits]): MarkEntry => ({
      key: keys.once(id, { key, generation: generationAt(time) }),
      value: [hits, time],
    })),
    ...marks.visitors.keys().map((visitor): MarkEntry => ({
      key: keys.seen(visitor, marks.day),
      value: true,
    })),
  ];
}

/** Asks which of the marks of hits are there. */
export async function readMarks(
  place: KvPlace,
  { addition: { id, hits }, day }: { addition: OnceAddition; day: Day },
): Promise<KnownMarks> {
  const time = Date.now();
  const now = generationAt(time);
  const given = [...new Set(hits.flatMap(({ key }) => key ?? []))];
  const visitors = [...new Set(hits.flatMap(({ visitor }) => visitor ?? []))];
  const found = await readKeys(place.kv, [
    ...given.map((key) => place.keys.once(id, { key, generation: now })),
    ...given.map((key) => place.keys.once(id, { key, generation: now - 1 })),
    ...visitors.map((visitor) => place.keys.seen(visitor, day)),
  ]);
  const keys = new Map<string, number>();
  given.forEach((key, index) => {
    const first = firstIn(found[index], time) ?? firstIn(found[given.length + index], time);
    if (first !== undefined) keys.set(key, first);
  });
  const seen = found.slice(2 * given.length);
  return {
    keys,
    visitors: new Set(visitors.filter((_, index) => seen[index]?.value === true)),
  };
}

/** The number of the first hit with a key, for as long as that makes hits the same. */
function firstIn(entry: Deno.KvEntryMaybe<unknown> | undefined, now: number): number | undefined {
  if (!Array.isArray(entry?.value)) return undefined;
  const [hits, time]: readonly unknown[] = entry.value;
  if (typeof hits !== "number" || typeof time !== "number") return undefined;
  return now - time < KEY_LIFETIME_MS ? hits : undefined;
}
