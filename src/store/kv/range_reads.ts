import { type KvPlace, type KvRecord, readRecords, recordOf, type RecordQuery } from "./records.ts";

/** From how many counters on two reads of all that lies between them cost less than a read of each. */
const MANY = 20;
/** How many entries a range may have for each counter of it that is wanted; with more, reads of each cost less. */
const ENTRIES_PER_COUNTER = 3;
/** How many entries come at a time. */
const BATCH = 500;
/** Such characters are in another order in JavaScript than in a database. */
const SURROGATE = /[\ud800-\udfff]/;
/** For how many calls counters are read one by one after a range was too sparse. */
const READS_AFTER_SPARSE = 9;

/**
 * Reads counters with their ledgers, in the order of the queries, by ranges of the database if there are many: those of an
 * import probably lie near each other. If a counter is deleted or new meanwhile its record may lack the ledger, which a
 * commit notices, as it checks the total.
 */
export function createRangeReader(): typeof readRecords {
  /** For how many calls counters are still read one by one. */
  let singleReads = 0;

  return async (place, queries) => {
    const ids = queries.map(({ id }) => id).sort();
    if (ids.length < MANY || ids.some((id) => SURROGATE.test(id))) {
      return await readRecords(place, queries);
    }
    if (singleReads-- > 0) return await readEach(place, queries);
    const totals = await readRange(place.kv, { ids, keyOf: place.keys.total });
    const within = ids.filter(totals.reaches);
    const isSparse = within.length < ids.length / 2;
    singleReads = isSparse ? READS_AFTER_SPARSE : 0;
    if (isSparse) return await readEach(place, queries);
    // Without a total there is no ledger, and most counters of an import are new.
    const held = within.filter((id) => totals.get(id) !== undefined);
    const ledgers = held.length === 0
      ? undefined
      : await readRange(place.kv, { ids: held, keyOf: place.keys.ledger });
    const inRange = queries.map(({ id }) => {
      if (!totals.reaches(id)) return undefined;
      const total = totals.get(id);
      if (total === undefined) return recordOf(place, undefined);
      if (!ledgers?.reaches(id)) return undefined;
      const record = recordOf(place, total, ledgers.get(id));
      // The ledger was written after the total was read.
      return (record.ledgerStamp ?? "") > (record.versionstamp ?? "") ? undefined : record;
    });
    return await filledIn(inRange, { queries, read: (missing) => readEach(place, missing) });
  };
}

/** Reads each counter by itself, and its ledger only if there is a total. */
async function readEach(place: KvPlace, queries: readonly RecordQuery[]): Promise<KvRecord[]> {
  const totals = await readRecords(
    place,
    queries.map(({ id }) => ({ id, withLedger: false })),
  );
  const ended = totals.map((total) => total.versionstamp === null ? total : undefined);
  return await filledIn(ended, { queries, read: (held) => readRecords(place, held) });
}

interface Gaps {
  queries: readonly RecordQuery[];
  read(missing: readonly RecordQuery[]): Promise<KvRecord[]>;
}

/** Fills the gaps between records that are known already. */
async function filledIn(
  records: readonly (KvRecord | undefined)[],
  { queries, read }: Gaps,
): Promise<KvRecord[]> {
  const missing = queries.filter((_, index) => records[index] === undefined);
  const others = (missing.length === 0 ? [] : await read(missing)).values();
  return records.map((found) => {
    const record = found ?? others.next().value;
    if (record === undefined) throw new TypeError("Read records: one is missing");
    return record;
  });
}

/** The entries from the first of these ids, which are in order, to the last, or to where the range gets too long. */
async function readRange(
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
