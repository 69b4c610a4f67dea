import type { CounterId } from "../../counter/counter_id.ts";
import type { Entry } from "./kv_entries.ts";

/** What a commit is about to change, as it was before. */
export interface Before {
  readonly ids: readonly CounterId[];
  readonly entries: readonly Entry[];
}

/** A Deno KV that holds counters, and what is known of it: whether it is this process's alone makes the difference. */
export interface KvDatabase {
  readonly kv: Deno.Kv;
  /** Throws where the database is known to have gone away. */
  checkPresent(): void;
  /** The entry of a counter, where it is known without asking. */
  known(id: CounterId): Entry | undefined;
  /** Asks for entries, in the order of the ids. */
  read(ids: readonly CounterId[]): Promise<Entry[]>;
  /**
   * Carries out a commit and gives its versionstamp, or null where somebody else wrote in between; rejects with a problem:
   * "store-unavailable" where surely nothing was written, "outcome-unknown" otherwise.
   */
  commit(operation: Deno.AtomicOperation, before: Before): Promise<string | null>;
  /** Tells what a commit has made of entries. */
  keep(ids: readonly CounterId[], entries: readonly Entry[]): void;
  /** Closes it, to be called once. */
  close(): Promise<void>;
}
