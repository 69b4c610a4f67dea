/**
 * What a Deno KV takes at once (docs.deno.com, "Key-value store limits"), and what of it is used.
 *
 * One batch at a time: the next gathers while the disk or the network is busy with this one. The more lines of an import
 * are sorted, the fewer pages of a file each commit touches.
 */
export const KV_BATCHES = {
  batches: 1,
  idsPerBatch: 100,
  importPortion: 100_000,
  importById: true,
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
