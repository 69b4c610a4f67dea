import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import type { KnownMarks } from "../../counter/once.ts";
import type { OnceAddition } from "../../counter/store.ts";
import { KEYS_PER_READ } from "./kv_limits.ts";
import { type KvPlace, readKeys, type readRecords, recordOf } from "./kv_records.ts";

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

/** Hits whose marks are looked for, and the day on which they came. */
interface MarkedHits {
  readonly addition: OnceAddition;
  readonly day: Day;
}

/** Asks which of the marks of hits are there. */
export async function readMarks(place: KvPlace, hits: MarkedHits): Promise<KnownMarks> {
  const question = questionOf(place, hits);
  return question.marksIn(await readKeys(place.kv, question.keys));
}

/** How often marks are asked for again because others wrote to their counter meanwhile. */
const MOST_TRIES = 20;

/** Asks for a counter, its ledger and its marks in one, so that all are of one instant where others write as well. */
export function readWithMarks(hits: MarkedHits): typeof readRecords {
  return async (place) => {
    const { kv, keys } = place;
    const { id } = hits.addition;
    const counter = [keys.total(id), keys.ledger(id)];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const question = questionOf(place, hits);
      const reads: Promise<Deno.KvEntryMaybe<unknown>[]>[] = [];
      const atOnce = KEYS_PER_READ - counter.length;
      for (let start = 0; start < question.keys.length; start += atOnce) {
        const some = question.keys.slice(start, start + atOnce);
        reads.push(kv.getMany<unknown[]>([...counter, ...some]));
      }
      const found = await Promise.all(reads);
      if (new Set(found.map(([total]) => total?.versionstamp)).size > 1) continue;
      const [total, ledger] = found[0] ?? [];
      const marks = question.marksIn(found.flatMap((entries) => entries.slice(counter.length)));
      return [{ ...recordOf(place, total, ledger), marks }];
    }
    throw new Error("Others write to a counter all the time");
  };
}

/** What to ask for to know the marks of hits, and how they are told from what is found. */
function questionOf({ keys }: KvPlace, { addition: { id, hits }, day }: MarkedHits) {
  const time = Date.now();
  const generations = [generationAt(time), generationAt(time) - 1];
  const given = [...new Set(hits.flatMap(({ key }) => key ?? []))];
  const visitors = [...new Set(hits.flatMap(({ visitor }) => visitor ?? []))];
  return {
    keys: [
      ...generations.map((generation) => keys.deleted(id, generation)),
      ...visitors.map((visitor) => keys.seen(visitor, day)),
      ...given.flatMap((key) =>
        generations.map((generation) => keys.once(id, { key, generation }))
      ),
    ],
    marksIn(found: readonly Deno.KvEntryMaybe<unknown>[]): KnownMarks {
      const marks = found.slice(generations.length);
      const deleted = found.slice(0, generations.length)
        .reduce((latest, { versionstamp }) => later(latest, versionstamp ?? ""), "");
      const isAlive = (entry?: Deno.KvEntryMaybe<unknown>) => (entry?.versionstamp ?? "") > deleted;
      const numbers = new Map<string, number>();
      given.forEach((key, index) => {
        const place = visitors.length + index * generations.length;
        const entry = marks.slice(place, place + generations.length)
          .find((entry) => isAlive(entry) && numberIn(entry, time) !== undefined);
        const number = entry && numberIn(entry, time);
        if (number !== undefined) numbers.set(key, number);
      });
      const seen = visitors.filter((_, index) => isAlive(marks[index]));
      return { keys: numbers, visitors: new Set(seen) };
    },
  };
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** The number of the first hit with a key, for as long as that makes hits the same. */
function numberIn({ value }: Deno.KvEntryMaybe<unknown>, now: number): number | undefined {
  if (!Array.isArray(value)) return undefined;
  const [hits, time]: readonly unknown[] = value;
  if (typeof hits !== "number" || typeof time !== "number") return undefined;
  return now - time < KEY_LIFETIME_MS ? hits : undefined;
}
