import { currentDays, stateOf } from "../../domain/calendar.ts";
import { type CounterId, isCounterId } from "../../domain/counter_id.ts";
import { type Day, yearsSince } from "../../domain/history.ts";
import type { ListedCounter, ListOptions, ListPage } from "../../domain/store.ts";
import { Failure } from "../../domain/errors.ts";
import type { Database } from "./database.ts";
import { addYears, type KvPlace, type KvRecord, readHistories, recordOf } from "./records.ts";

/** Number of counters on a page, with days and without. Hits wait for each page. */
const PAGE_SIZE = 100;
const PAGE_SIZE_WITHOUT_DAYS = 250;
/** Number of entries that Deno KV reads at a time. */
const BATCH_SIZE = 500;
/** Sorts after every character that an id can contain. */
const LAST = "\u{10ffff}";

type KvEntry = Deno.KvEntry<unknown>;

/** Lists every counter in the order of the ids, each as it was at one instant. */
export async function* listCounters(
  database: Database,
  { prefix, since }: ListOptions,
): AsyncGenerator<ListPage> {
  const { kv, keys } = database.place;
  const limit = since === undefined ? PAGE_SIZE_WITHOUT_DAYS : PAGE_SIZE;
  const end = keys.total(prefix + LAST);
  let start = keys.total(prefix);
  for (let entries: KvEntry[] = [];;) {
    yield await database.read(async () => {
      const range = kv.list<unknown>({ start, end }, { limit, batchSize: limit });
      entries = await Array.fromAsync(range);
      return await pageOf(database.place, entries, since);
    });
    const last = entries.at(limit - 1);
    if (last === undefined) return;
    start = [...last.key, new Uint8Array()];
  }
}

async function pageOf(
  place: KvPlace,
  entries: readonly KvEntry[],
  since: Day | undefined,
): Promise<ListPage> {
  const totals = entries.flatMap((total) => {
    const [, id, ...rest] = total.key;
    const isCounter = typeof id === "string" && isCounterId(id) && rest.length === 0;
    return isCounter ? [{ id, total }] : [];
  });
  const dated = since === undefined ? [] : totals;
  // The ledgers last, because years change only together with them.
  const years = await readRange(place, dated, (id) => place.keys.year(id, 0).slice(0, -1));
  const ledgers = await readRange(place, dated, place.keys.ledger);
  const records = await Promise.all(totals.map(async ({ id, total }): Promise<KvRecord> => {
    const record = recordOf(place, id, [total, ledgers.get(id)?.[0]]);
    if (since === undefined) return record;
    const { versionstamp, ledger, ledgerStamp } = record;
    // A ledger is never written without its total, so a later ledger belongs to a later total.
    const isWhole = ledgerStamp && versionstamp && ledgerStamp <= versionstamp;
    if (place.isShared && !isWhole) {
      return (await readHistories(place, [{ id, since }]))[0] ?? record;
    }
    if (ledger === undefined || yearsSince(ledger, since).length === 0) return record;
    return addYears(record, years.get(id) ?? []);
  }));
  const now = currentDays(place.calendar);
  let foreign = entries.length - totals.length;
  const counters = records.flatMap((record): ListedCounter[] => {
    const state = stateOf(record, now);
    if (state instanceof Failure) foreign++;
    // Leave out a counter that was deleted after its total was read.
    return state instanceof Failure || !record.exists ? [] : [{ id: record.id, ...state }];
  });
  return { counters, foreign };
}

/** Reads entries of counters that follow each other: all whose keys begin like these. */
async function readRange(
  { kv }: KvPlace,
  counters: readonly { readonly id: CounterId }[],
  keyOf: (id: CounterId) => Deno.KvKey,
): Promise<ReadonlyMap<unknown, KvEntry[]>> {
  const [first, last] = [counters[0], counters.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  // A boolean sorts after every number that may follow an id.
  const range = { start: keyOf(first.id), end: [...keyOf(last.id), true] };
  const entries = await Array.fromAsync(kv.list<unknown>(range, { batchSize: BATCH_SIZE }));
  return Map.groupBy(entries, ({ key }) => key[3]);
}
