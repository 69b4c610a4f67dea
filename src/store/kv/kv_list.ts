import { type CounterId, counterId } from "../../counter/counter_id.ts";
import { type Day, yearsSince } from "../../counter/days.ts";
import type { ListedCounter, ListOptions, ListPage } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { heldOf, readHistories } from "./kv_history.ts";
import type { KvDatabase } from "./kv_database.ts";
import { type KvPlace, type KvRecord, recordOf } from "./kv_records.ts";

/** How many counters a page has: few, as hits wait for each page. */
const PAGE = 100;
/** Comes after every character that an id may have. */
const LAST = "\u{10ffff}";

/** Every counter, in the order of the ids; each as it was at one instant. While hits are written, time is left to them. */
export async function* listCounters(
  database: KvDatabase,
  { prefix, since }: ListOptions,
): AsyncGenerator<ListPage> {
  const { kv, keys } = database;
  using written = await database.withoutJournal();
  const end = keys.total(prefix + LAST);
  let start = keys.total(prefix);
  while (true) {
    const began = performance.now();
    const { tellsAll } = written;
    const entries = await Array.fromAsync(
      kv.list({ start, end }, { limit: PAGE, batchSize: PAGE }),
    );
    const totals = entries.flatMap(totalOf);
    const records = await (tellsAll ? recordsOf : askedRecordsOf)(database, { totals, since });
    if (database.isWriting()) await pause(performance.now() - began);
    const { counters, foreign } = pageOf(totals, records);
    yield { counters, foreign: foreign + entries.length - totals.length };
    const last = entries.at(-1);
    if (last === undefined || entries.length < PAGE) return;
    start = [...last.key, new Uint8Array()];
  }
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

/** The id that a text is; undefined for one that nobody can ask for. */
function idOf(text: string): CounterId | undefined {
  try {
    const id = counterId(text);
    return id === text ? id : undefined;
  } catch {
    return undefined;
  }
}

function pageOf(totals: readonly Total[], records: readonly KvRecord[]): ListPage {
  const counters: ListedCounter[] = [];
  let foreign = 0;
  records.forEach((record, index) => {
    const id = totals[index]?.id;
    const held = heldOf(record);
    if (id === undefined || held instanceof Problem) foreign++;
    // One that was removed after its total was read is none any more.
    else if (record.versionstamp !== null) counters.push({ id, ...held });
  });
  return { counters, foreign };
}

/** The totals of a page, and from which day on their days are asked for, if at all. */
interface Page {
  readonly totals: readonly Total[];
  readonly since: Day | undefined;
}

/** The records of totals that their entries do not tell for sure. */
async function askedRecordsOf(database: KvDatabase, { totals, since }: Page): Promise<KvRecord[]> {
  return since === undefined
    ? await database.read(totals.map(({ id }) => ({ id, withLedger: false })))
    : await readHistories(database, totals.map(({ id }) => ({ id, since })));
}

/** The records of totals with their days, read a page at a time; one by one where something came in between. */
async function recordsOf(place: KvDatabase, { totals, since }: Page): Promise<KvRecord[]> {
  if (since === undefined) return totals.map(({ entry }) => recordOf(place, entry));
  const ledgers = await ledgersOf(place, totals);
  const found = totals.map(({ id, entry }) => ({
    id,
    record: recordOf(place, entry, ledgers.get(id)),
  }));
  const doubtful = found.filter(({ record }) => isDoubtful(record, since));
  const whole = await readHistories(place, doubtful.map(({ id }) => ({ id, since })));
  const again = new Map(doubtful.map(({ id }, index) => [id, whole[index]]));
  return found.map(({ id, record }) => again.get(id) ?? record);
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
  const entries = await Array.fromAsync(kv.list({ start, end }, { batchSize: PAGE }));
  return new Map(entries.map((entry) => [entry.key.at(-1), entry]));
}

/** Whether a record is not whole yet: of two instants, perhaps, or with years that are over. */
function isDoubtful({ versionstamp, ledger, ledgerStamp }: KvRecord, since: Day): boolean {
  if (ledger === undefined) return ledgerStamp === null;
  return (ledgerStamp ?? "") > (versionstamp ?? "") || yearsSince(ledger, since).length > 0;
}
