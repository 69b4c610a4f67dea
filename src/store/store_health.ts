import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Failure } from "../domain/errors.ts";

/** The health of a store. */
export type StoreHealth = ReturnType<typeof createStoreHealth>;

type Trouble = "unreachable" | "loginRejected" | "unwritable";

/** The name in the metrics of a store, unless its nodes have names. */
const STORE_LABEL = "store";

/**
 * Creates the health of a store or of one of its nodes, which is also a metric. It counts as
 * healthy at first. It logs once when the store becomes unavailable, once more if the cause is
 * known only later, and once when it is fully available again.
 *
 * A store that rejects writes may still answer reads. So a read does not end the state in which
 * writes fail.
 */
export function createStoreHealth(log: Log, metrics: Metrics, node?: string) {
  const name = node ?? STORE_LABEL;
  if (node !== undefined) metrics.nodes.delete(STORE_LABEL);
  metrics.nodes.set(name, true);
  const troubles = new Set<Trouble>();
  /** True if the log says no more than that an attempt took too long. */
  let isUnexplained = false;
  let isForbiddenLogged = false;

  function meter(isHealthy: boolean): void {
    // The connection of a node that was removed may still report that it ended.
    if (metrics.nodes.has(name)) metrics.nodes.set(name, isHealthy);
  }

  function begin(trouble: Trouble, cause: unknown): void {
    const isReported = troubles.has(trouble) || (trouble !== "loginRejected" && troubles.size > 0);
    const isTimeout = cause instanceof Failure && cause.cause === undefined;
    troubles.add(trouble);
    meter(false);
    if (isReported && (isTimeout || !isUnexplained)) return;
    isUnexplained = isTimeout;
    log.error("store unavailable", { node, cause });
  }

  function end(...ended: readonly Trouble[]): void {
    const hasEnded = ended.filter((trouble) => troubles.delete(trouble)).length > 0;
    if (!hasEnded || troubles.size > 0) return;
    log.info("store available", { node });
    meter(true);
  }

  return {
    /** Called if the store did not answer. */
    unreachable: (cause: unknown): void => begin("unreachable", cause),
    /**
     * Called if the store rejected the login. This is logged even if the store was unreachable
     * before, because only its operator can fix it.
     */
    loginRejected: (cause: unknown): void => begin("loginRejected", cause),
    /** Called if the store rejected a write or failed to carry it out. */
    unwritable: (cause: unknown): void => begin("unwritable", cause),
    /** Called if the store denies a command or a key, which is logged once. */
    forbidden(cause: unknown): void {
      if (!isForbiddenLogged) log.warn(FORBIDDEN, { node, cause });
      isForbiddenLogged = true;
    },
    /** Called if the store answered. */
    readable: (): void => end("unreachable", "loginRejected"),
    /** Called if the store carried out a write. */
    healthy: (): void => end("unreachable", "loginRejected", "unwritable"),
  };
}

export const FORBIDDEN =
  "permission of Redis missing: give its user the rules in .deploy/README.md, section Redis";
