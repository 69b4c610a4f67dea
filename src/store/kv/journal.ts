import type { CounterId } from "../../counter/counter_id.ts";
import { KEY_BYTES_PER_COMMIT } from "./kv_limits.ts";
import { type Journaled, readRows, type Row } from "./journal_rows.ts";
import type { KvPlace } from "./kv_records.ts";
import type { Plan } from "./plan.ts";

/** When totals go to a journal, and when they leave it. */
export interface JournalLimits {
  /** With how many counters in one commit a journal begins: where few are hit, the entries themselves are written. */
  readonly from: number;
  /** With so many rows, or counters in them, the totals move to their entries. */
  readonly rows: number;
  readonly counters: number;
  /** How many totals move in one commit, or rows end, for which hits that come meanwhile wait; fewer where keys are long. */
  readonly atOnce: number;
}

const LIMITS: JournalLimits = { from: 25, rows: 3000, counters: 50_000, atOnce: 500 };

/**
 * Totals of hits that are written as one row for each commit, and only later to the entries of their counters, in the order
 * of those: a commit of 100 entries touches 100 pages of a file, a row one, and in their order 500 entries share theirs.
 *
 * A row tells the total of a counter whose entry is older than the row, and nothing of any other. So whoever writes an
 * entry while this process does not run, also an older version, has the last word without knowing of the journal. While it
 * runs nobody else may write: a hit that goes here looks at no entry.
 */
export class Journal {
  readonly #place: KvPlace;
  readonly #limits: JournalLimits;
  #totals = new Map<CounterId, Journaled>();
  /** The numbers of the rows: from the first to before the next. */
  #first = 0;
  #next = 0;
  /** Whose totals are still to move, last first, before the rows up to the end of then are removed. */
  #moving: { readonly ids: CounterId[]; readonly end: number } | undefined;

  private constructor(place: KvPlace, limits: JournalLimits) {
    this.#place = place;
    const fitting = Math.floor(KEY_BYTES_PER_COMMIT / place.keys.longest);
    this.#limits = { ...limits, atOnce: Math.min(limits.atOnce, fitting) };
  }

  /** Opens the journal of a database, with what was left in it by a process that was killed. */
  static async open(place: KvPlace, limits = LIMITS): Promise<Journal> {
    const journal = new Journal(place, limits);
    await journal.read();
    return journal;
  }

  /** Reads it, at first and where it is not sure what became of a commit. */
  async read(): Promise<void> {
    const { totals, first, last } = await readRows(this.#place);
    this.#totals = totals;
    this.#moving = undefined;
    // No number is used again.
    this.#next = Math.max(this.#next, last + 1);
    this.#first = Math.min(first ?? this.#next, this.#next);
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

  /** Whether nothing stands here, so that the entries tell every total. */
  get isEmpty(): boolean {
    return this.#first === this.#next;
  }

  /** Whether totals shall move to their entries now, as it is full or has not been emptied since it was. */
  get isDue(): boolean {
    return this.#moving !== undefined || this.#next - this.#first >= this.#limits.rows ||
      this.#totals.size >= this.#limits.counters;
  }

  /** Whether so many counters in one commit begin a journal. */
  isMany(counters: number): boolean {
    return counters >= this.#limits.from;
  }

  /** Which plans of a commit shall go here: plain hits on counters that are there, where they are many. */
  choose(plans: readonly Plan[]): ReadonlySet<Plan> {
    const rows = this.#next - this.#first;
    // With too many rows moving their totals has failed again and again.
    const goes = rows > 0 ? rows < 2 * this.#limits.rows : this.isMany(plans.length);
    return goes ? new Set(plans.filter(isPlainHit)) : NONE;
  }

  /** Writes plans as one row with a commit; returns its key. 100 ids of 200 bytes stay below the 64 KiB of a value. */
  write(operation: Deno.AtomicOperation, plans: ReadonlySet<Plan>): Deno.KvKey {
    // Counted up even if the commit fails: the row may have been stored, and its number must not be used again.
    const key = this.#place.keys.row(this.#next++);
    const row: Row = [];
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

  /** Adds to a commit what moves some totals to their entries, or removes rows whose totals are there. */
  move(operation: Deno.AtomicOperation): Move {
    const { keys } = this.#place;
    const { atOnce } = this.#limits;
    const { ids, end } = this.#moving ??= {
      ids: [...this.#totals.keys()].sort().reverse(),
      end: this.#next,
    };
    const some = ids.slice(-atOnce);
    // The entries of others were written since.
    const moved = some.filter((id) => this.#totals.has(id));
    for (const id of moved) {
      operation.set(keys.total(id), new Deno.KvU64(BigInt(this.#totals.get(id)?.total ?? 0)));
    }
    const first = some.length > 0 ? this.#first : Math.min(end, this.#first + atOnce);
    for (let row = this.#first; row < first; row++) operation.delete(keys.row(row));
    return {
      ids: moved,
      done: () => {
        ids.length -= some.length;
        for (const id of moved) this.#totals.delete(id);
        this.#first = first;
        if (first === end) this.#moving = undefined;
      },
    };
  }
}

/** Totals on their way to their entries. */
export interface Move {
  /** Whose. */
  readonly ids: readonly CounterId[];
  /** To be called once the commit was carried out. */
  done(): void;
}

const NONE: ReadonlySet<Plan> = new Set();

function isPlainHit({ before, writes }: Plan): boolean {
  return before.versionstamp !== null && writes?.total !== undefined &&
    writes.history === undefined && writes.marks === undefined;
}
