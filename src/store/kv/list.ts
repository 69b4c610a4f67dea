import { type CounterId, counterId } from "../../counter/counter_id.ts";
import { type Day, type YearEntry, yearsSince } from "../../counter/days.ts";
import type { ListedCounter, ListOptions, ListPage } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { KvDatabase } from "./database.ts";
import {
  contentOf,
  type KvPlace,
  type KvRecord,
  readHistories,
  recordOf,
  yearIn,
} from "./records.ts";

/** How many counters a page has: few, as hits wait for each page. */
const PAGE = 100;
/** The same without days, which takes less time than one with them: each read costs as much as some counters. */
const PAGE_OF_TOTALS = 250;
/** How many entries come at a time. */
const BATCH = 500;
/** Comes after every character that an id may have. */
const LAST = "\u{10ffff}";

/** Every counter, in the order of the ids, each as it was at one instant. Between pages it leaves time to hits. */
export async function* listCounters(
  database: KvDatabase,
  { prefix, since }: ListOptions,
): AsyncGenerator<ListPage> {
  const end = database.keys.total(prefix + LAST);
  let start: Deno.KvKey | undefined = database.keys.total(prefix);
  while (start !== undefined) {
    const range: Range = { start, end };
    const isWriting = database.isWriting();
    // In its turn: if nobody else writes, all of a page is of one instant then.
    const { page, next, took } = await database.serialize(() =>
      readPage(database, { range, since })
    );
    if (isWriting) await pause(took);
    yield page;
    start = next;
  }
}

/** From one key on to before another. */
interface Range {
  readonly start: Deno.KvKey;
  readonly end: Deno.KvKey;
}

/** An entry that may be the total of a counter. */
interface Total {
  readonly id: CounterId;
  readonly entry: Deno.KvEntry<unknown>;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function totalOf(entry: Deno.KvEntry<unknown>): Total[] {
  const [, text] = entry.key;
  const id = entry.key.length === 2 && typeof text === "string" ? idOf(text) : undefined;
  return id === undefined ? [] : [{ id, entry }];
}

/** Undefined for a text that no request can name. */
function idOf(text: string): CounterId | undefined {
  try {
    const id = counterId(text);
    return id === text ? id : undefined;
  } catch {
    return undefined;
  }
}

/** The first counters of a range, where the next page begins, and how many milliseconds it took. */
async function readPage(
  database: KvDatabase,
  { range, since }: { range: Range; since: Day | undefined },
): Promise<{ page: ListPage; next: Deno.KvKey | undefined; took: number }> {
  const began = performance.now();
  const limit = since === undefined ? PAGE_OF_TOTALS : PAGE;
  const entries = await Array.fromAsync(database.kv.list(range, { limit, batchSize: limit }));
  const totals = entries.flatMap(totalOf);
  const records = since === undefined
    ? totals.map(({ id, entry }) => database.withJournal(id, recordOf(database, entry)))
    : await recordsOf(database, totals, since);
  const { counters, foreign } = pageOf(totals, records);
  const last = entries.length < limit ? undefined : entries.at(-1);
  return {
    page: { counters, foreign: foreign + entries.length - totals.length },
    next: last && [...last.key, new Uint8Array()],
    took: performance.now() - began,
  };
}

function pageOf(totals: readonly Total[], records: readonly KvRecord[]): ListPage {
  const counters: ListedCounter[] = [];
  let foreign = 0;
  records.forEach((record, index) => {
    const id = totals[index]?.id;
    const held = contentOf(record);
    if (id === undefined || held instanceof Problem) foreign++;
    // One that was deleted after its total was read is left out.
    else if (record.versionstamp !== null) counters.push({ id, ...held });
  });
  return { counters, foreign };
}

/**
 * The records of totals with their days. If others write as well, what changed while a page was read is read again, counter
 * by counter: its total and its days may be of two instants.
 */
async function recordsOf(
  database: KvDatabase,
  totals: readonly Total[],
  since: Day,
): Promise<KvRecord[]> {
  const ledgers = await ledgersOf(database, totals);
  const found = totals.map(({ id, entry }) => {
    return { id, record: database.withJournal(id, recordOf(database, entry, ledgers.get(id))) };
  });
  const old = found.filter(({ record }) =>
    record.ledger && yearsSince(record.ledger, since).length
  );
  const years = await yearsOf(database, old);
  if (!database.isShared) return found.map(({ id, record }) => ({ ...record, ...years.get(id) }));
  const after = old.length === 0 ? ledgers : await ledgersOf(database, totals);
  const changed = new Set(
    found.filter(({ id, record: { versionstamp, ledgerStamp } }) => {
      const stamp = after.get(id)?.versionstamp ?? null;
      // A ledger is never written without its total, so that a later one is of a later total.
      return stamp === null || stamp !== ledgerStamp || stamp > (versionstamp ?? "");
    }).map(({ id }) => id),
  );
  const again = await readHistories(database, [...changed].map((id) => ({ id, since })));
  const whole = new Map([...changed].map((id, index) => [id, again[index]]));
  return found.map(({ id, record }) => whole.get(id) ?? { ...record, ...years.get(id) });
}

/** The ledgers of counters that follow each other. */
async function ledgersOf(
  { kv, keys }: KvPlace,
  totals: readonly Total[],
): Promise<Map<unknown, Deno.KvEntry<unknown>>> {
  const [first, last] = [totals[0], totals.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const start = keys.ledger(first.id);
  const end = [...keys.ledger(last.id), new Uint8Array()];
  const entries = await Array.fromAsync(kv.list({ start, end }, { batchSize: BATCH }));
  return new Map(entries.map((entry) => [entry.key.at(-1), entry]));
}

/** The closed years of counters that follow each other. */
async function yearsOf(
  place: KvPlace,
  counters: readonly { readonly id: CounterId }[],
): Promise<Map<unknown, { years: YearEntry[] }>> {
  const found = new Map<unknown, { years: YearEntry[] }>();
  const [first, last] = [counters[0], counters.at(-1)];
  if (first === undefined || last === undefined) return found;
  const { kv, keys } = place;
  const start = keys.year(first.id, 0);
  const end = keys.year(last.id, Infinity);
  for await (const entry of kv.list({ start, end }, { batchSize: BATCH })) {
    const year = yearIn(place, entry);
    const id = entry.key.at(-2);
    const known = found.get(id)?.years;
    if (known === undefined) found.set(id, { years: [year] });
    else known.push(year);
  }
  return found;
}
