import type { CounterId } from "../../domain/counter_id.ts";
import type { Edit } from "./commit.ts";
import type { JournalTotal, KvPlace } from "./records.ts";

const LIMITS = {
  /** Minimum number of plain hits in a commit that is written as the first row. */
  from: 25,
  /** Numbers of rows and of counters with which the journal is full. */
  rows: 3000,
  counters: 50_000,
  /** Maximum number of counters that one step of a fold writes. */
  atOnce: 100,
};
export type JournalLimits = typeof LIMITS;
/** Minimum number of plain hits in a commit that is written as a further row. */
const FURTHER_FROM = 8;

/**
 * Stores the totals of one commit as a row, to be folded into the entries of the counters later, in
 * the order of their keys. A commit of 100 entries touches 100 pages of a file, a row one.
 *
 * A row counts only for entries that are older than it. So a program that writes entries while this
 * process does not run needs no knowledge of the journal.
 */
export class Journal {
  /** The newest total of each counter in the rows. Some entries may be newer. */
  readonly totals = new Map<CounterId, JournalTotal>();
  /** Numbers of the first row and of the next one. */
  #first = 0;
  #next = 0;

  constructor(readonly place: KvPlace, readonly limits = LIMITS) {}

  get isFull(): boolean {
    const { rows, counters } = this.limits;
    return this.#next - this.#first >= rows || this.totals.size >= counters;
  }

  /** Returns the totals that are in the rows now, and the number of the row after them. */
  contents(): { totals: Map<CounterId, JournalTotal>; end: number } {
    return { totals: new Map(this.totals), end: this.#next };
  }

  /**
   * Adds hits on counters with the day open to a commit as one row, and returns them. Returns none
   * if they are too few for a row.
   */
  write(operation: Deno.AtomicOperation, edits: readonly Edit[]): ReadonlySet<Edit> {
    const hits = edits.filter(({ record, writes }) => record.exists && !writes.history);
    const { from } = this.limits;
    const hasRows = this.#next > this.#first;
    if (hits.length < (hasRows ? Math.min(FURTHER_FROM, from) : from)) return new Set();
    const totals = hits.flatMap(({ record, writes }) => [record.id, writes.total]);
    // The number is used up even if the commit fails, because the row may be stored.
    operation.set(this.place.keys.row(this.#next++), totals);
    return new Set(hits);
  }

  /** Remembers the hits of a row that is stored. */
  confirm(hits: Iterable<Edit>, versionstamp: string): void {
    for (const { record, writes } of hits) {
      this.totals.set(record.id, { total: writes.total ?? 0, versionstamp });
    }
  }

  /** Reads the stored rows, which a killed process or a commit with an unknown outcome left. */
  async load(): Promise<void> {
    const prefix = this.place.keys.row(0).slice(0, -1);
    const rows = await Array.fromAsync(this.place.kv.list<(CounterId | number)[]>({ prefix }));
    this.totals.clear();
    for (const { value, versionstamp } of rows) {
      value.forEach((id, at) => {
        const total = Number(value[at + 1]);
        if (typeof id === "string") this.totals.set(id, { total, versionstamp });
      });
    }
    this.#next = Math.max(this.#next, 1 + Number(rows.at(-1)?.key.at(-1) ?? -1));
    this.#first = Number(rows[0]?.key.at(-1) ?? this.#next);
  }

  /** Forgets totals for which the entries are newer, unless there are later ones. */
  forget(folded: ReadonlyMap<CounterId, JournalTotal>): void {
    for (const [id, total] of folded) {
      if (this.totals.get(id) === total) this.totals.delete(id);
    }
  }

  /** Deletes rows before `end`, as many as a commit may. Reports whether there were any. */
  async deleteRows(end: number): Promise<boolean> {
    if (this.#first >= end) return false;
    const { kv, keys } = this.place;
    const operation = kv.atomic();
    const last = Math.min(end, this.#first + keys.perCommit);
    for (let row = this.#first; row < last; row++) operation.delete(keys.row(row));
    await operation.commit();
    this.#first = last;
    return true;
  }
}
