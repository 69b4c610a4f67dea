import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import { BoundedMap } from "../../bounded_map.ts";
import type { Plan } from "./planner.ts";
import type { KvPlace, KvRecord, readRecords, RecordQuery } from "./records.ts";

/** A Deno KV that holds counters. Much more is known of one that belongs to this process alone. */
export interface KvDatabase extends KvPlace {
  /** Whether others write to it as well. */
  readonly isShared: boolean;
  /** How many checks a commit may have, as far as is known. */
  readonly checksPerCommit: number;
  /** Throws if the database is known to have gone away. */
  checkPresent(): void;
  /** The record of a counter without its ledger, if it is known without reading. */
  known(id: CounterId): KvRecord | undefined;
  /** The number of a counter that was read or written last, even if it is no longer sure; a shared database keeps none. */
  lastSeen(id: CounterId): number | undefined;
  /** Whether a day of a counter that exists is known to be open, so that a hit needs no look at the ledger. */
  isOpen(id: CounterId, day: Day): boolean;
  /** Whether hits wait for this process's own commit right now. */
  isWriting(): boolean;
  /** Reads records, in the order of the queries, the way given. */
  read(queries: readonly RecordQuery[], read?: typeof readRecords): Promise<KvRecord[]>;
  /** Runs a step after all steps before it, or at once if others write as well. Plans are made and committed in one step. */
  serialize<Value>(step: () => Promise<Value>): Promise<Value>;
  /**
   * Writes plans in one commit. False if nothing was written because somebody else wrote in between, or because fewer checks
   * are allowed than was known: then the plans have to be made anew. Rejects with a problem: "store-unavailable" if surely
   * nothing was written, "outcome-unknown" otherwise.
   */
  commit(plans: readonly Plan[]): Promise<boolean>;
  /**
   * Erases the salts of the days before one from the disk, as far as it is ours: what is only deleted stays in the file until
   * something else takes its place. Says whether it did, which it does not while SQLite's log is being read.
   */
  eraseSalts(before: Day): Promise<boolean>;
  /** The record of a counter by its entry, which was read in a step, and by what the journal holds. */
  withJournal(id: CounterId, record: KvRecord): KvRecord;
  /** Closes it, to be called once. */
  close(): Promise<void>;
}

/**
 * Of how many counters the open day is remembered for sure. A hit on any other has to look at its ledger, which costs as
 * much as the hit; each takes some 80 bytes.
 */
const OPEN_DAYS = 100_000;

/** The latest day that counters are known to be open on; only a counter that is deleted has its day closed again. */
export class OpenDays {
  readonly #days = new BoundedMap<CounterId, Day>(OPEN_DAYS);

  isOpen(id: CounterId, day: Day): boolean {
    return (this.#days.get(id) ?? -Infinity) >= day;
  }

  /** Reads records, and fills in the open days that are known if the ledgers are not read. */
  async read(
    place: KvPlace,
    queries: readonly RecordQuery[],
    read: typeof readRecords,
  ): Promise<KvRecord[]> {
    // Now: whoever reads no ledger has just found the day open, and it may be forgotten meanwhile.
    const days = queries.map(({ id }) => this.#days.get(id) ?? -Infinity);
    const records = await read(place, queries);
    return records.map((record, index) =>
      queries[index]?.withLedger ? record : { ...record, openDay: days[index] ?? -Infinity }
    );
  }

  /** Remembers what a hit that read or wrote the ledger found out; `after` is the record once the plan is committed. */
  remember({ id, isHit, before, writes }: Plan, after: KvRecord): void {
    if (after.versionstamp === null) this.#days.delete(id);
    // An import sets more counters than can be remembered, and few of them are hit on that day.
    else if (isHit && (before.ledger ?? writes?.beside?.history) !== undefined) {
      this.#days.set(id, after.openDay);
    }
  }

  forget(id: CounterId): void {
    this.#days.delete(id);
  }
}
