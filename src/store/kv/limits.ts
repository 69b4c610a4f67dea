/**
 * What a Deno KV takes at once (docs.deno.com, "Key-value store limits"), what of it is used, and how often it is looked
 * after.
 *
 * One batch at a time: the next gathers while the disk or the network is busy with this one.
 */
export const KV_BATCHES = {
  batches: 1,
  idsPerBatch: 100,
  sortedById: true,
};

/** How many keys one `getMany` may have. */
export const KEYS_PER_READ = 10;

/** How many checks one commit may have; every counter that it writes takes one. */
export const CHECKS_PER_COMMIT = 100;
/** The same of a self-hosted server (denoland/denokv, `proto/limits.rs`), which Deno's own client does not know. */
export const CHECKS_PER_COMMIT_SELF_HOSTED = 10;

/** One less than a commit may have: the mark of its writer, or the row of a journal, goes with it. */
export const MUTATIONS_PER_COMMIT = 999;
/** Of keys that are written. */
export const KEY_BYTES_PER_COMMIT = 80_000;
/** Of values; 800 KiB may be sent, with all keys and what Deno adds to each value. */
export const VALUE_BYTES_PER_COMMIT = 600_000;

/** How long after a commit a checkpoint begins. */
export const CHECKPOINT_DELAY_MS = 1000;
/** How long there is no commit of many counters before the journal is emptied. */
export const JOURNAL_QUIET_MS = 1000;
/** How often the file is looked for while nothing is written: a look costs as much as a read. */
export const FILE_CHECK_INTERVAL_MS = 100;
/** How long after the opening the first sweep comes, for a process that was off at midnight: the first requests come first. */
export const FIRST_SWEEP_MS = 1000;
/** How long after a sweep that could not delete a salt, as when somebody was reading SQLite's log, the next one comes. */
export const RETRY_SWEEP_MS = 1000;
/** How long after one sweep the next comes at most; at midnight there is one in any case. */
export const SWEEP_INTERVAL_MS = 3_600_000;
