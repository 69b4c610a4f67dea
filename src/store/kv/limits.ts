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
 * Maximum number of checks in one commit to a self-hosted server (denoland/denokv,
 * `proto/limits.rs`). Deno's client does not know it.
 */
export const CHECKS_PER_SHARED_COMMIT = 10;

/** Maximum number of mutations. With the largest values, they have 720 kB of the 800 KiB. */
export const MUTATIONS_PER_COMMIT = 200;
/** Maximum size of all keys that a commit writes, in bytes. */
export const KEY_BYTES_PER_COMMIT = 80_000;

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
