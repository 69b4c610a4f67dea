/** On a link with latency, hits that arrive while a batch is under way need not wait for its return. */
export const REDIS_BATCHES = { batches: 4, idsPerBatch: 1000 };
