/**
 * Sizes and times of everything that is asked of a Redis, in milliseconds.
 *
 * A hit is answered within 2 s. Every wait on its way is shorter, so that commands not sent by then
 * are known not to be counted.
 */

/** The batches that a Redis accepts, known before any other code for Redis is loaded. */
export const REDIS_BATCHES = {
  // On a link with latency, hits that arrive while a batch is in flight need not wait for its
  // replies.
  batches: 4,
  idsPerBatch: 1000,
  sortedById: false,
};

/** Number of counters of a list that are read at once. More would delay hits, here and in Redis. */
export const LISTED_AT_ONCE = 250;
/**
 * Number of keys that a server looks at per SCAN, which blocks it for about half a millisecond.
 * With fewer, the list of one prefix among many would spend its time on round trips.
 */
export const KEYS_PER_SCAN = 500;
/** Timeout of WAIT. Less than `STALL_MS`, because WAIT blocks its connection. */
export const REPLICAS_MS = 1000;
/** Timeout of the readiness check of one shard, so that one that hangs does not delay the rest. */
export const PROBE_MS = 800;

/** Time in which a server has to tell whether it is a node of a cluster, a Sentinel, or neither. */
export const DETECT_MS = 1000;
/** Time in which the nodes of a cluster or the Sentinels have to connect. */
export const OPEN_MS = 700;
/** Time in which a node has to list the slots, or a Sentinel its masters. */
export const ASK_MS = 300;
/**
 * Interval in which Sentinels are asked. After a failover by hand, the old master accepts hits for
 * up to 8 s.
 */
export const SENTINEL_INTERVAL_MS = 500;
