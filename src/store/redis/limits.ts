/** What a batch may be, which is known before anything of Redis is loaded. */
export const REDIS_BATCHES = {
  // On a link with latency, hits that arrive while a batch is under way need not wait for its return.
  batches: 4,
  idsPerBatch: 1000,
  importPortion: 20_000,
  // No counter lies nearer to one than to another.
  importById: false,
};

/** How many counters of a list are read at once: more would hold up hits, here and in Redis. */
export const LISTED_AT_ONCE = 250;

/** How long one shard may take to show that it takes hits, in milliseconds: one that hangs must not speak for the others. */
export const PROBE_MS = 800;

/** The last day that a ledger may name, 2099-12-31: the scripts find the year of a day in a way that ends there. */
export const LAST_DAY = 47_481;
