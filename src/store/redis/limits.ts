/**
 * What a Redis is asked for at once, how long it may take, and how often it is looked after.
 *
 * A hit is answered within 2 s. Every wait on its way is shorter, so that what was not sent by then is known not to be counted.
 */

/** What a batch may be, which is known before anything of Redis is loaded. */
export const REDIS_BATCHES = {
  // On a link with latency, hits that arrive while a batch is under way need not wait for its return.
  batches: 4,
  idsPerBatch: 1000,
  sortedById: false,
};

/** How many counters of a list are read at once: more would hold up hits, here and in Redis. */
export const LISTED_AT_ONCE = 250;
/**
 * How many keys a server looks at per SCAN. It runs nothing else meanwhile, about half a millisecond; with fewer, the round
 * trips are what a list of one family among many waits for.
 */
export const KEYS_PER_SCAN = 500;
/** How many slots of a cluster a node is asked for at once. */
export const SLOTS_PER_PIPELINE = 100;

/** Connections for writes if replicas are waited for: WAIT blocks its connection, so batches need several. */
export const WRITERS = 4;
/** How long WAIT may block; less than `STALL_MS`, because the connection is silent meanwhile. */
export const REPLICAS_MS = 1000;

/** How long TCP and TLS may take. */
export const CONNECT_MS = 1500;
/** How long a connection may take from TCP to the end of the handshake. */
export const HANDSHAKE_MS = 2000;
/** Without a reply for this long while commands are pending, the connection counts as dead. */
export const STALL_MS = 1500;
/** How often a connection is looked at for that. */
export const SUPERVISE_INTERVAL_MS = 250;
/** A Redis that hangs or lost its role must be noticed even if nobody calls. */
export const HEALTH_CHECK_INTERVAL_MS = 5000;
/** How long one shard may take to show that it takes hits: one that hangs must not speak for the others. */
export const PROBE_MS = 800;

/** How long to wait at the start until servers have shown whether they are a cluster, Sentinels, or neither. */
export const DETECT_MS = 1000;
/** The same, for the nodes of a cluster or the Sentinels to connect. */
export const OPEN_MS = 700;
/** How long a node may take to list the slots, or a Sentinel to name the master, before the others have to do. */
export const ASK_MS = 300;
/** A master that was replaced may not know it, so its cluster is polled even while all is well. */
export const CLUSTER_POLL_INTERVAL_MS = 1000;
/** The same of Sentinels. */
export const SENTINEL_POLL_INTERVAL_MS = 500;
/** How long a node that serves no slot stays connected: a slot may be moving there. */
export const IDLE_NODE_MS = 30_000;

/** How many redirects a command follows, and for how long. */
export const MAX_REDIRECTS = 5;
export const MAX_REDIRECT_MS = 1500;
/** Pause before the same node is asked again, doubled each time. */
export const REDIRECT_PAUSE_MS = 10;
