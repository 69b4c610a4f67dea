import type { CounterId } from "../../counter/counter_id.ts";
import { type KvPlace, type KvRecord, readRecords } from "./kv_records.ts";

/** A row of a journal: ids, each followed by its total. */
export type Row = (CounterId | number)[];

/** What stands in a journal of a counter. */
export interface Journaled {
  readonly total: number;
  /** Of the commit that wrote the row. */
  readonly versionstamp: string;
}

/** The record of a counter by its entry and by what stood in the journal before that was read. */
export function journaledRecord(record: KvRecord, journaled: Journaled | undefined): KvRecord {
  const { versionstamp } = record;
  if (journaled === undefined || versionstamp === null) return record;
  return versionstamp < journaled.versionstamp ? { ...record, outcome: journaled.total } : record;
}

/** All rows of a journal. */
export interface Rows {
  /** What they tell that the entries do not. */
  totals: Map<CounterId, Journaled>;
  /** The number of the first row; undefined where there is none. */
  first: number | undefined;
  /** The number of the last one; -1 where there is none. */
  last: number;
}

/** How many entries are asked for at a time. */
const ENTRIES = 1000;

/** Reads a journal. */
export async function readRows(place: KvPlace): Promise<Rows> {
  const rows: Rows = { totals: new Map(), first: undefined, last: -1 };
  const { totals } = rows;
  const prefix = place.keys.row(0).slice(0, -1);
  for await (const { key, value, versionstamp } of place.kv.list<Row>({ prefix })) {
    rows.last = Number(key.at(-1));
    rows.first ??= rows.last;
    for (let at = 0; at + 1 < value.length; at += 2) {
      const [id, total] = [value[at], value[at + 1]];
      if (typeof id === "string" && typeof total === "number") {
        totals.set(id, { total, versionstamp });
      }
    }
  }
  const ids = [...totals.keys()].sort();
  for (let start = 0; start < ids.length; start += ENTRIES) {
    const some = ids.slice(start, start + ENTRIES);
    const entries = await readRecords(place, some.map((id) => ({ id, withLedger: false })));
    some.forEach((id, index) => {
      const [entry, row] = [entries[index]?.versionstamp, totals.get(id)?.versionstamp ?? ""];
      if (!entry || entry > row) totals.delete(id);
    });
  }
  return rows;
}
