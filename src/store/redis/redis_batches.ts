/**
 * On a link with latency, hits that arrive while a batch is under way need not wait for its return. No counter lies nearer
 * to one than to another.
 */
export const REDIS_BATCHES = {
  batches: 4,
  idsPerBatch: 1000,
  importPortion: 20_000,
  importById: false,
};
