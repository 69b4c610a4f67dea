import type { CounterId } from "../../counter/counter_id.ts";
import type { Change } from "./commit.ts";
import { type JournalTotal, type KvPlace, readTotals } from "./records.ts";

const LIMITS = {
  /** Minimum number of plain hits in a commit that is written as a row. */
  from: 25,
  /** Numbers of rows and of counters with which the journal is full. */
  rows: 3000,
  counters: 50_000,
  /** Maximum number of entries or rows that one step of a fold writes. */
  atOnce: Infinity,
};
export type JournalLimits = typeof LIMITS;

/**
 * Stores the totals of one commit as a row, and folds the rows into the entries of the counters
 * later, in the order of their keys. A commit of 100 entries touches 100 pages of a file, a row
 * one.
 *
 * A row counts only for entries that are older than it. So a program that writes entries while this
 * process does not run needs no knowledge of the journal.
 */
export class Journal {
  readonly #place: KvPlace;
  readonly #limits: JournalLimits;
  /** The newest total of each counter in the rows. Some entries may be newer. */
  #totals = new Map<CounterId, JournalTotal>();
  /** Numbers of the first row and of the next one. */
  #first = 0;
  #next = 0;

  constructor(place: KvPlace, limits = LIMITS) {
    this.#place = place;
    this.#limits = limits;
  }

  get isFull(): boolean {
    const { rows, counters } = this.#limits;
    return this.#next - this.#first >= rows || this.#totals.size >= counters;
  }

  get(id: CounterId): JournalTotal | undefined {
    return this.#totals.get(id);
  }

  /**
   * Adds hits on counters with the day open to a commit as one row, and returns them. Returns none
   * if they are too few for a row, or if other processes share the database.
   */
  write(operation: Deno.AtomicOperation, changes: readonly Change[]): ReadonlySet<Change> {
    const hits = changes.filter(({ record, plan: { writes } }) =>
      record.exists && writes?.total !== undefined && !writes.history && !writes.deduplication
    );
    if (this.#place.isShared || hits.length < this.#limits.from) return new Set();
    const totals = hits.flatMap(({ item, plan }) => [item.id, plan.writes?.total]);
    // The number is used up even if the commit fails, because the row may be stored.
    operation.set(this.#place.keys.row(this.#next++), totals);
    return new Set(hits);
  }

  /** Remembers the hits of a row that is stored. */
  confirm(hits: Iterable<Change>, versionstamp: string): void {
    for (const { item, plan: { writes } } of hits) {
      this.#totals.set(item.id, { total: writes?.total ?? 0, versionstamp });
    }
  }

  /** Forgets counters whose entries are newer than every row. */
  forget(ids: readonly CounterId[]): void {
    for (const id of ids) this.#totals.delete(id);
  }

  /** Reads the stored rows, which a killed process or a commit with an unknown outcome left. */
  async load(): Promise<void> {
    const prefix = this.#place.keys.row(0).slice(0, -1);
    const rows = await Array.fromAsync(this.#place.kv.list<(CounterId | number)[]>({ prefix }));
    this.#totals = new Map();
    for (const { value, versionstamp } of rows) {
      value.forEach((id, at) => {
        const total = Number(value[at + 1]);
        if (typeof id === "string") this.#totals.set(id, { total, versionstamp });
      });
    }
    this.#next = Math.max(this.#next, 1 + Number(rows.at(-1)?.key.at(-1) ?? -1));
    this.#first = Number(rows[0]?.key.at(-1) ?? this.#next);
  }

  /**
   * Yields the commits of a fold with the counters to forget. Each is to be requested and carried
   * out while no other commit runs.
   */
  async *fold(): AsyncGenerator<{ operation: Deno.AtomicOperation; ids: readonly CounterId[] }> {
    const { kv, keys } = this.#place;
    const atOnce = Math.min(this.#limits.atOnce, keys.perCommit);
    const end = this.#next;
    const sorted = [...this.#totals.keys()].sort();
    for (let start = 0; start < sorted.length; start += atOnce) {
      const ids = sorted.slice(start, start + atOnce);
      const operation = kv.atomic();
      for (const { id, exists, total } of await readTotals(this.#place, ids)) {
        if (!exists || typeof total !== "number") continue;
        operation.set(keys.total(id), new Deno.KvU64(BigInt(total)));
      }
      yield { operation, ids };
    }
    while (this.#first < end) {
      const operation = kv.atomic();
      const last = Math.min(end, this.#first + atOnce);
      for (let row = this.#first; row < last; row++) operation.delete(keys.row(row));
      yield { operation, ids: [] };
      this.#first = last;
    }
  }
}
