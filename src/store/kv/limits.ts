/**
 * The limits of a Deno KV for one request (docs.deno.com, "Key-value store limits"), and the share
 * of them that is used.
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

/** Maximum number of mutations. With the largest values, they have 750 kB of the 800 KiB. */
export const MUTATIONS_PER_COMMIT = 250;
/** Maximum size of all keys that a commit writes, in bytes. */
export const KEY_BYTES_PER_COMMIT = 80_000;
