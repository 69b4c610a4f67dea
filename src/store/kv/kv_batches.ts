/**
 * One batch at a time: the next gathers while the disk or the network is busy with this one. A commit may have 100 checks
 * (docs.deno.com, "Key-value store limits").
 */
export const KV_BATCHES = { batches: 1, idsPerBatch: 100 };
