/**
 * One batch at a time: the next gathers while the disk or the network is busy with this one. A commit may have 100 checks
 * (docs.deno.com, "Key-value store limits"). The more lines are sorted, the fewer pages of a file each commit touches.
 */
export const KV_BATCHES = {
  batches: 1,
  idsPerBatch: 100,
  importPortion: 100_000,
  importById: true,
};
