import { type KvPlace, type KvRecord, type Question, readRecords, recordOf } from "./kv_records.ts";

/** From how many counters on two reads of all that lies between them cost less than one read of each. */
const MANY = 20;
/** How many entries are read for each counter that is asked for: with nine between them that costs as much. */
const ENTRIES_PER_COUNTER = 6;
/** How many come at a time. */
const BATCH = 500;
/** What stands in another order in JavaScript than in a database. */
const SURROGATE = /[\ud800-\udfff]/;

/**
 * Asks for counters that probably lie near each other, with their ledgers, in the order of the questions: for a quarter
 * of what a read of each costs. Where a counter is removed meanwhile its total may lack the ledger, which a commit that
 * checks the total notices.
 */
export async function readNearRecords(
  place: KvPlace,
  questions: readonly Question[],
): Promise<KvRecord[]> {
  const { kv, keys } = place;
  const ids = questions.map(({ id }) => id).sort();
  if (ids.length < MANY || ids.some((id) => SURROGATE.test(id))) {
    return await readRecords(place, questions);
  }
  const totals = await readAllBetween(kv, { ids, keyOf: keys.total });
  const within = ids.filter(totals.reaches);
  if (within.length < ids.length / 2) return await readRecords(place, questions);
  const ledgers = await readAllBetween(kv, { ids: within, keyOf: keys.ledger });
  const near = questions.map(({ id }) => {
    if (!totals.reaches(id) || !ledgers.reaches(id)) return undefined;
    const record = recordOf(totals.get(id), ledgers.get(id));
    // The ledger was written after the total was read.
    return (record.ledgerStamp ?? "") > (record.versionstamp ?? "") ? undefined : record;
  });
  const missed = questions.filter((_, index) => near[index] === undefined);
  const others = (await readRecords(place, missed)).values();
  return near.map((found) => {
    const record = found ?? others.next().value;
    if (record === undefined) throw new TypeError("Read records: one was not asked for");
    return record;
  });
}

/** The entries from the first of these ids, which are in order, to the last, or as far as they are read. */
async function readAllBetween(
  kv: Deno.Kv,
  { ids, keyOf }: { ids: readonly string[]; keyOf(id: string): Deno.KvKey },
) {
  const limit = ENTRIES_PER_COUNTER * ids.length;
  const start = keyOf(ids[0] ?? "");
  const end = [...keyOf(ids.at(-1) ?? ""), new Uint8Array()];
  const found = await Array.fromAsync(kv.list({ start, end }, { limit, batchSize: BATCH }));
  const part = start.length - 1;
  // Longer keys are somebody else's.
  const own = found.filter(({ key }) => key.length === start.length);
  const entries = new Map(own.map((entry) => [entry.key[part], entry]));
  const last = found.length < limit ? undefined : found.at(-1)?.key[part];
  return {
    get: (id: string) => entries.get(id),
    reaches: (id: string) => typeof last !== "string" || id <= last,
  };
}
