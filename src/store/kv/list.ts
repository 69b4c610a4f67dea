import { type CounterId, counterId } from "../../counter/counter_id.ts";
import { type Day, yearsSince } from "../../counter/days.ts";
import type { ListedCounter, ListOptions, ListPage } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { stateOf } from "../planner.ts";
import type { Database } from "./database.ts";
import { type KvPlace, type KvRecord, recordOf, yearOf } from "./records.ts";

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
    // In a database of this process alone, all of a page is from one instant.
    yield await database.inTurn(async () => {
      const range = kv.list<unknown>({ start, end }, { limit, batchSize: limit });
      entries = await Array.fromAsync(range);
      return await pageOf(database, entries, since);
    });
    const last = entries.at(limit - 1);
    if (last === undefined) return;
    start = [...last.key, new Uint8Array()];
  }
}

async function pageOf(
  database: Database,
  entries: readonly KvEntry[],
  since: Day | undefined,
): Promise<ListPage> {
  const { place } = database;
  const totals = entries.filter(({ key }) => idOf(key) !== undefined);
  const ids = totals.flatMap(({ key }) => idOf(key) ?? []);
  const ledgers = since === undefined ? NONE : await readRange(place, ids, place.keys.ledger);
  const reports = since === undefined ? NONE : await readRange(place, ids, place.keys.report);
  const found = ids.map((id, index) => {
    const [ledger] = ledgers.get(id) ?? [];
    const [report] = reports.get(id) ?? [];
    return recordOf(place, { total: totals[index], ledger, report, row: place.journaled(id) });
  });
  const records = since === undefined ? found : await withYears(database, ids, found, since);
  const counters: ListedCounter[] = [];
  let foreign = entries.length - ids.length;
  ids.forEach((id, index) => {
    const record = records[index];
    const state = record && stateOf(record);
    if (state instanceof Problem) foreign++;
    // A counter that was deleted after its total was read is left out.
    else if (state !== undefined && record?.exists) counters.push({ id, ...state });
  });
  return { counters, foreign };
}

/** Returns undefined for a key that no request can name. */
function idOf([, text, ...rest]: Deno.KvKey): CounterId | undefined {
  if (typeof text !== "string" || rest.length > 0) return undefined;
  try {
    const id = counterId(text);
    return id === text ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Adds the closed years from `since` on. Reads again what other processes changed in between. */
async function withYears(
  database: Database,
  ids: readonly CounterId[],
  records: readonly KvRecord[],
  since: Day,
): Promise<KvRecord[]> {
  const { place, isShared } = database;
  const old = ids.filter((_, index) => {
    const ledger = records[index]?.ledger;
    return ledger !== undefined && ledger !== "damaged" && yearsSince(ledger, since).length > 0;
  });
  const years = await readRange(place, old, (id) => place.keys.year(id, 0).slice(0, -1));
  const whole = records.map((record, index): KvRecord => {
    const entries = years.get(ids[index]) ?? [];
    return { ...record, years: entries.map((entry) => yearOf(place, entry)) };
  });
  if (!isShared) return whole;
  const after = await readRange(place, ids, place.keys.ledger);
  const isWhole = whole.map(({ versionstamp, ledgerStamp }, index) => {
    const stamp = after.get(ids[index])?.[0]?.versionstamp;
    // A ledger is never written without its total, so a later ledger belongs to a later total.
    return stamp !== undefined && stamp === ledgerStamp && stamp <= (versionstamp ?? "");
  });
  const changed = ids.filter((_, index) => !isWhole[index]);
  const again = (await database.readHistories(changed.map((id) => ({ id, since })))).values();
  return whole.map((record, index) => isWhole[index] ? record : again.next().value ?? record);
}

const NONE: ReadonlyMap<unknown, KvEntry[]> = new Map();

/** Reads the entries of counters whose ids follow each other: all whose keys begin like these. */
async function readRange(
  { kv }: KvPlace,
  ids: readonly CounterId[],
  keyOf: (id: CounterId) => Deno.KvKey,
): Promise<ReadonlyMap<unknown, KvEntry[]>> {
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined) return NONE;
  // A boolean sorts after every number that may follow an id.
  const range = { start: keyOf(first), end: [...keyOf(last), true] };
  const entries = await Array.fromAsync(kv.list<unknown>(range, { batchSize: BATCH_SIZE }));
  return Map.groupBy(entries, ({ key }) => key[3]);
}
