import type { CounterId } from "../../counter/counter_id.ts";
import { KEY_BYTES_PER_COMMIT } from "./limits.ts";
import type { Plan } from "./planner.ts";
import { type KvPlace, type KvRecord, readRecords } from "./records.ts";

/** When totals are written to the journal, and when they leave it. */
export interface JournalLimits {
  /** How many counters in one commit begin a journal: with fewer, the entries themselves are written. */
  readonly from: number;
  /** With so many rows, or counters in them, a checkpoint is needed. */
  readonly rows: number;
  readonly counters: number;
  /** How many totals move, or rows end, in one commit, which hits meanwhile wait for; fewer if their keys are long. */
  readonly atOnce: number;
}

const LIMITS: JournalLimits = { from: 25, rows: 3000, counters: 50_000, atOnce: 500 };

/** How many entries are read at a time when a journal is opened. */
const ENTRIES_PER_READ = 1000;

/** What the journal holds of a counter. */
export interface JournalTotal {
  readonly total: number;
  /** Of the commit that wrote the row. */
  readonly versionstamp: string;
}

/** Ids, each followed by its total. */
type Row = (CounterId | number)[];

/** One commit of a checkpoint. */
export interface JournalCheckpoint {
  /** The counters whose totals it moves to their entries. */
  readonly ids: readonly CounterId[];
  /** To be called once the commit was carried out. */
  done(): void;
}

/**
 * Totals of hits that are written as one row per commit first and moved to the entries of their counters later, in the order
 * of their keys: a commit of 100 entries touches 100 pages of a file, a row one, and neighboring entries share their pages.
 *
 * A row holds the total of a counter if the counter's entry is older than the row, and counts for nothing otherwise. So
 * whoever writes an entry while this process does not run (an older version, say) has the last word without knowing of the
 * journal. While it runs nobody else may write, because a hit that goes to the journal does not look at the entry.
 */
export class Journal {
  readonly #place: KvPlace;
  readonly #limits: JournalLimits;
  #totals = new Map<CounterId, JournalTotal>();
  /** The numbers of the rows: from the first to before the next. */
  #first = 0;
  #next = 0;
  /** The counters whose totals are still to move, last first, before the rows up to `end` are removed. */
  #moving: { readonly ids: CounterId[]; readonly end: number } | undefined;

  private constructor(place: KvPlace, limits: JournalLimits) {
    this.#place = place;
    const fitting = Math.floor(KEY_BYTES_PER_COMMIT / place.keys.longest);
    this.#limits = { ...limits, atOnce: Math.min(limits.atOnce, fitting) };
  }

  /** Opens the journal of a database, with what a process that was killed left in it. */
  static async open(place: KvPlace, limits = LIMITS): Promise<Journal> {
    const journal = new Journal(place, limits);
    await journal.read();
    return journal;
  }

  /** Reads it from the database, also after a commit whose outcome is unknown. */
  async read(): Promise<void> {
    const totals = new Map<CounterId, JournalTotal>();
    const prefix = this.#place.keys.row(0).slice(0, -1);
    let [first, last]: [number | undefined, number] = [undefined, -1];
    for await (const { key, value, versionstamp } of this.#place.kv.list<Row>({ prefix })) {
      last = Number(key.at(-1));
      first ??= last;
      for (let at = 0; at + 1 < value.length; at += 2) {
        const [id, total] = [value[at], value[at + 1]];
        if (typeof id === "string" && typeof total === "number") {
          totals.set(id, { total, versionstamp });
        }
      }
    }
    await this.#dropOutdated(totals);
    this.#totals = totals;
    this.#moving = undefined;
    // No number is used again.
    this.#next = Math.max(this.#next, last + 1);
    this.#first = Math.min(first ?? this.#next, this.#next);
  }

  get(id: CounterId): JournalTotal | undefined {
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

  /** Whether the entries hold every total. */
  get isEmpty(): boolean {
    return this.#first === this.#next;
  }

  /** Whether totals should move to their entries now: it is full, or a checkpoint has begun. */
  get needsCheckpoint(): boolean {
    return this.#moving !== undefined || this.#next - this.#first >= this.#limits.rows ||
      this.#totals.size >= this.#limits.counters;
  }

  /** Whether so many counters in one commit begin a journal. */
  isMany(counters: number): boolean {
    return counters >= this.#limits.from;
  }

  /** Which plans of a commit are to be written here: plain hits on counters that exist, if there are many. */
  choose(plans: readonly Plan[]): ReadonlySet<Plan> {
    const rows = this.#next - this.#first;
    // There are too many rows only if checkpoints failed again and again.
    const isOn = rows > 0 ? rows < 2 * this.#limits.rows : this.isMany(plans.length);
    return isOn ? new Set(plans.filter(isPlainHit)) : NONE;
  }

  /** Adds plans to a commit as one row and returns its key. 100 ids of 200 bytes stay below the 64 KiB of a value. */
  write(operation: Deno.AtomicOperation, plans: ReadonlySet<Plan>): Deno.KvKey {
    // Counted up even if the commit fails: the row may have been stored, and its number must not be used again.
    const key = this.#place.keys.row(this.#next++);
    const row: Row = [];
    for (const { id, writes } of plans) row.push(id, writes?.total ?? 0);
    operation.set(key, row);
    return key;
  }

  /** To be called once that commit was carried out. */
  written(plans: ReadonlySet<Plan>, versionstamp: string): void {
    for (const { id, writes } of plans) {
      this.#totals.set(id, { total: writes?.total ?? 0, versionstamp });
    }
  }

  /** To be called once the entry of a counter was written. */
  forget(id: CounterId): void {
    this.#totals.delete(id);
  }

  /** Adds to a commit some totals that move to their entries or, once all have moved, the deletion of their rows. */
  checkpoint(operation: Deno.AtomicOperation): JournalCheckpoint {
    const { keys } = this.#place;
    const { atOnce } = this.#limits;
    const { ids, end } = this.#moving ??= {
      ids: [...this.#totals.keys()].sort().reverse(),
      end: this.#next,
    };
    const some = ids.slice(-atOnce);
    // Other counters' entries have been written since the checkpoint began.
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

  /** Drops the totals of counters whose entries are newer or gone. */
  async #dropOutdated(totals: Map<CounterId, JournalTotal>): Promise<void> {
    const ids = [...totals.keys()].sort();
    for (let start = 0; start < ids.length; start += ENTRIES_PER_READ) {
      const some = ids.slice(start, start + ENTRIES_PER_READ);
      const queries = some.map((id) => ({ id, withLedger: false }));
      const entries = await readRecords(this.#place, queries);
      some.forEach((id, index) => {
        const [entry, row] = [entries[index]?.versionstamp, totals.get(id)?.versionstamp ?? ""];
        if (!entry || entry > row) totals.delete(id);
      });
    }
  }
}

/** The record of a counter by its entry, and by what the journal held of it before the entry was read. */
export function withJournalTotal(record: KvRecord, journaled: JournalTotal | undefined): KvRecord {
  const { versionstamp } = record;
  if (journaled === undefined || versionstamp === null) return record;
  return versionstamp < journaled.versionstamp ? { ...record, outcome: journaled.total } : record;
}

const NONE: ReadonlySet<Plan> = new Set();

function isPlainHit({ before, writes }: Plan): boolean {
  return before.versionstamp !== null && writes?.total !== undefined && writes.beside === undefined;
}
