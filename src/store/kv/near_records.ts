import { type KvPlace, type KvRecord, type Question, readRecords, recordOf } from "./kv_records.ts";

/** From how many counters on two reads of all that lies between them cost less than one read of each. */
const MANY = 20;
/** How many entries are read for each counter that is asked for: with nine between them that costs as much. */
const ENTRIES_PER_COUNTER = 6;
/** How many come at a time. */
const BATCH = 500;
/** What stands in another order in JavaScript than in a database. */
const SURROGATE = /[\ud800-\udfff]/;
/** How often counters are asked for one by one after too many others lay between them. */
const TIMES_APART = 9;

/**
 * What asks for counters that probably lie near each other, with their ledgers, in the order of the questions: for a
 * quarter of what a read of each costs. Where a counter is removed or new meanwhile its total may lack the ledger, which a
 * commit that checks the total notices.
 */
export function createNearReader(): typeof readRecords {
  let apart = 0;

  return async (place, questions) => {
    const ids = questions.map(({ id }) => id).sort();
    if (ids.length < MANY || ids.some((id) => SURROGATE.test(id))) {
      return await readRecords(place, questions);
    }
    if (apart-- > 0) return await readApart(place, questions);
    const totals = await readAllBetween(place.kv, { ids, keyOf: place.keys.total });
    const within = ids.filter(totals.reaches);
    apart = within.length < ids.length / 2 ? TIMES_APART : 0;
    if (apart > 0) return await readApart(place, questions);
    // Without a total there is no ledger, and most counters of an import are new.
    const held = within.filter((id) => totals.get(id) !== undefined);
    const ledgers = held.length === 0
      ? undefined
      : await readAllBetween(place.kv, { ids: held, keyOf: place.keys.ledger });
    const near = questions.map(({ id }) => {
      if (!totals.reaches(id)) return undefined;
      const total = totals.get(id);
      if (total === undefined) return recordOf(place, undefined);
      if (!ledgers?.reaches(id)) return undefined;
      const record = recordOf(place, total, ledgers.get(id));
      // The ledger was written after the total was read.
      return (record.ledgerStamp ?? "") > (record.versionstamp ?? "") ? undefined : record;
    });
    return await filledIn(near, { questions, read: (missed) => readApart(place, missed) });
  };
}

/** Asks for each counter by itself, and for its ledger only where there is a total. */
async function readApart(place: KvPlace, questions: readonly Question[]): Promise<KvRecord[]> {
  const totals = await readRecords(
    place,
    questions.map(({ id }) => ({ id, withLedger: false })),
  );
  const ended = totals.map((total) => total.versionstamp === null ? total : undefined);
  return await filledIn(ended, { questions, read: (held) => readRecords(place, held) });
}

interface Gaps {
  questions: readonly Question[];
  read(missed: readonly Question[]): Promise<KvRecord[]>;
}

/** Records, with what else is read where there is none. */
async function filledIn(
  records: readonly (KvRecord | undefined)[],
  { questions, read }: Gaps,
): Promise<KvRecord[]> {
  const missed = questions.filter((_, index) => records[index] === undefined);
  const others = (missed.length === 0 ? [] : await read(missed)).values();
  return records.map((found) => {
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
