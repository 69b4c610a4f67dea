import type { CounterId } from "../../counter/counter_id.ts";
import { MOST_KEY_BYTES } from "./commit_parts.ts";
import { type KvPlace, type KvRecord, readRecords } from "./kv_records.ts";
import type { Plan } from "./plan.ts";

/** When totals go to a journal, and when they leave it. */
export interface JournalLimits {
  /** With how many counters in one commit a journal begins: where few are hit, the entries themselves are written. */
  readonly from: number;
  /** With so many rows, or counters in them, the totals are brought to their entries. */
  readonly rows: number;
  readonly counters: number;
  /** How many entries are written at most, or rows removed, in one commit: hits that come meanwhile wait for it. */
  readonly atOnce: number;
}

const LIMITS: JournalLimits = { from: 25, rows: 3000, counters: 50_000, atOnce: 500 };

/** What stands in a journal of a counter. */
export interface Journaled {
  readonly total: number;
  /** Of the commit that wrote the row. */
  readonly versionstamp: string;
}

/**
 * Totals of hits that are written as one row for each commit, and only later to the entries of their counters, in the order
 * of those: a commit of 100 entries touches 100 pages of a file, a row one, and in their order 500 entries share theirs.
 *
 * A row tells the total of a counter whose entry is older than the row, and nothing of any other: so whoever writes the
 * entry, also an older version of this service, has the last word without knowing of the journal.
 */
export class Journal {
  readonly #place: KvPlace;
  readonly #limits: JournalLimits;
  readonly #totals: Map<CounterId, Journaled>;
  /** The numbers of the rows: from the first to before the next. */
  #first: number;
  #next: number;
  /** Whose entries are still to be written, last first, before the rows that tell of them are removed. */
  #leaving: { readonly ids: CounterId[]; readonly end: number } | undefined;

  private constructor(place: KvPlace, limits: JournalLimits, { totals, first, next }: Rows) {
    this.#place = place;
    const fitting = Math.floor(MOST_KEY_BYTES / place.keys.longest);
    this.#limits = { ...limits, atOnce: Math.min(limits.atOnce, fitting) };
    this.#totals = totals;
    this.#first = first;
    this.#next = next;
  }

  /** Opens the journal of a database, with what was left in it by a process that was killed. */
  static async open(place: KvPlace, limits = LIMITS): Promise<Journal> {
    return new Journal(place, limits, await readRows(place));
  }

  /** What stands here of a counter. */
  get(id: CounterId): Journaled | undefined {
    return this.#totals.get(id);
  }

  /** The number of its first row. */
  get first(): number {
    return this.#first;
  }

  /** The number of the row that is written next. */
  get next(): number {
    return this.#next;
  }

  /** Whether it is time to bring some totals to their entries. */
  get isFull(): boolean {
    return this.#leaving !== undefined || this.#next - this.#first >= this.#limits.rows ||
      this.#totals.size >= this.#limits.counters;
  }

  /** Which plans of a commit shall go here: plain hits on counters that are there, where they are many. */
  choose(plans: readonly Plan[]): ReadonlySet<Plan> {
    const rows = this.#next - this.#first;
    // With too many rows bringing their totals to the entries has failed again and again.
    const goes = rows > 0 ? rows < 2 * this.#limits.rows : plans.length >= this.#limits.from;
    return goes ? new Set(plans.filter(isPlainHit)) : NONE;
  }

  /** Writes plans as one row with a commit; returns its key. 100 ids of 200 bytes stay below the 64 KiB of a value. */
  write(operation: Deno.AtomicOperation, plans: ReadonlySet<Plan>): Deno.KvKey {
    // Also where the commit fails: what becomes of the row may not be known.
    const key = this.#place.keys.row(this.#next++);
    const row: (CounterId | number)[] = [];
    for (const { change: { id }, writes } of plans) row.push(id, writes?.total ?? 0);
    operation.set(key, row);
    return key;
  }

  /** To be called once that commit was carried out. */
  written(plans: ReadonlySet<Plan>, versionstamp: string): void {
    for (const { change: { id }, writes } of plans) {
      this.#totals.set(id, { total: writes?.total ?? 0, versionstamp });
    }
  }

  /** To be called once the entry of a counter was written. */
  forget(id: CounterId): void {
    this.#totals.delete(id);
  }

  /** Adds to a commit what brings some totals to their entries, or removes rows whose totals are there. */
  leave(operation: Deno.AtomicOperation): Leaving {
    const { keys } = this.#place;
    const { atOnce } = this.#limits;
    const { ids, end } = this.#leaving ??= {
      ids: [...this.#totals.keys()].sort().reverse(),
      end: this.#next,
    };
    const some = ids.slice(-atOnce);
    for (const id of some) {
      const total = this.#totals.get(id)?.total;
      if (total !== undefined) operation.set(keys.total(id), new Deno.KvU64(BigInt(total)));
    }
    const first = some.length > 0 ? this.#first : Math.min(end, this.#first + atOnce);
    for (let row = this.#first; row < first; row++) operation.delete(keys.row(row));
    return {
      ids: some,
      done: () => {
        ids.length -= some.length;
        for (const id of some) this.#totals.delete(id);
        this.#first = first;
        if (first === end) this.#leaving = undefined;
      },
    };
  }
}

const NONE: ReadonlySet<Plan> = new Set();

/** Totals on their way to their entries. */
export interface Leaving {
  readonly ids: readonly CounterId[];
  /** To be called once the commit was carried out. */
  done(): void;
}

function isPlainHit({ before, writes }: Plan): boolean {
  return before.versionstamp !== null && writes?.total !== undefined &&
    writes.history === undefined && writes.marks === undefined;
}

/** The record of a counter by its entry and by what stood in the journal before that was read. */
export function journaledRecord(record: KvRecord, journaled: Journaled | undefined): KvRecord {
  const { versionstamp } = record;
  if (journaled === undefined || versionstamp === null) return record;
  return versionstamp < journaled.versionstamp ? { ...record, outcome: journaled.total } : record;
}

interface Rows {
  totals: Map<CounterId, Journaled>;
  first: number;
  next: number;
}

async function readRows(place: KvPlace): Promise<Rows> {
  const prefix = place.keys.row(0).slice(0, -1);
  const rows = await Array.fromAsync(place.kv.list<(CounterId | number)[]>({ prefix }));
  const totals = new Map<CounterId, Journaled>();
  for (const { value, versionstamp } of rows) {
    for (let at = 0; at + 1 < value.length; at += 2) {
      const [id, total] = [value[at], value[at + 1]];
      if (typeof id === "string" && typeof total === "number") {
        totals.set(id, { total, versionstamp });
      }
    }
  }
  const questions = [...totals.keys()].sort().map((id) => ({ id, withLedger: false }));
  const records = await readRecords(place, questions);
  questions.forEach(({ id }, index) => {
    const [entry, row] = [records[index]?.versionstamp, totals.get(id)?.versionstamp ?? ""];
    if (!entry || entry > row) totals.delete(id);
  });
  const first = Number(rows[0]?.key.at(-1) ?? 0);
  return { totals, first, next: rows.length === 0 ? 0 : Number(rows.at(-1)?.key.at(-1)) + 1 };
}
