/**
 * The limits of a Deno KV for one request (docs.deno.com, "Key-value store limits"), the share of
 * them that is used, and the periods of background work.
 *
 * One batch at a time: the next one fills while the disk or the network is busy with this one.
 */
export const KV_BATCHES = {
  batches: 1,
  idsPerBatch: 100,
  sortedById: true,
};

/** Maximum number of keys in one `getMany`. */
export const KEYS_PER_READ = 10;

/** Maximum number of checks in one commit. Every counter in it takes one. */
export const CHECKS_PER_COMMIT = 100;
/**
 * That of a self-hosted server (denoland/denokv, `proto/limits.rs`), unknown to Deno's client.
 */
export const CHECKS_PER_COMMIT_SELF_HOSTED = 10;

/** One less than the maximum: the mark of the writer, or a row of the journal, is added. */
export const MUTATIONS_PER_COMMIT = 999;
/** Maximum size of all keys that a commit writes, in bytes. */
export const KEY_BYTES_PER_COMMIT = 80_000;
/** Maximum size of all values, in bytes. 800 KiB may be sent, with the keys and what Deno adds. */
export const VALUE_BYTES_PER_COMMIT = 600_000;

/** Time without a commit of many counters after which the journal is emptied. */
export const JOURNAL_IDLE_MS = 1000;
/** Maximum time that emptying the journal may delay the end of the process. */
export const JOURNAL_CLOSE_MS = 1000;
/** Interval of checks that the file is present while nothing is written. */
export const FILE_CHECK_INTERVAL_MS = 100;
/** Delay of the first sweep, so that it does not slow down the first requests. */
export const FIRST_SWEEP_MS = 1000;
/** Maximum interval of sweeps. There is one at midnight in any case. */
export const SWEEP_INTERVAL_MS = 3_600_000;
