import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import type { KvPlace, KvRecord, Question, readRecords } from "./kv_records.ts";
import type { Plan } from "./plan.ts";

/** A Deno KV that holds counters, and what is known of it: whether it is this process's alone makes the difference. */
export interface KvDatabase extends KvPlace {
  /** Whether others write to it as well. */
  readonly isShared: boolean;
  /** How many checks a commit may have, as far as is known. */
  readonly checksPerCommit: number;
  /** Throws where the database is known to have gone away. */
  checkPresent(): void;
  /** The record of a counter without its ledger, where it is known without asking. */
  known(id: CounterId): KvRecord | undefined;
  /** Whether a day of a counter that is there is known to be open, so that a hit needs no look at the ledger. */
  isOpen(id: CounterId, day: Day): boolean;
  /** Whether hits wait for this process's own commit right now. */
  isWriting(): boolean;
  /** Asks for records, in the order of the questions, the way given. */
  read(questions: readonly Question[], ask?: typeof readRecords): Promise<KvRecord[]>;
  /** Runs a step after all steps before it, or at once if others write as well. Plans are made and committed in one step. */
  serialize<Value>(step: () => Promise<Value>): Promise<Value>;
  /**
   * Carries out plans in one commit; false where nothing was written because somebody else wrote in between, or because
   * fewer checks are allowed than was known: then they are to be made anew. Rejects with a problem:
   * "store-unavailable" where surely nothing was written, "outcome-unknown" otherwise.
   */
  commit(plans: readonly Plan[]): Promise<boolean>;
  /** Moves all of SQLite's log into the file, so that nothing that was overwritten or deleted is left in it. */
  truncateLog(): Promise<void>;
  /** The record of a counter by its entries, read in turn, and by what stands in a journal. */
  withJournal(id: CounterId, record: KvRecord): KvRecord;
  /** Closes it, to be called once. */
  close(): Promise<void>;
}
