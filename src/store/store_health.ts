import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";

/**
 * Whether a store answers and can be changed; logs once when that ends and once when all of it is back.
 *
 * A store that refuses changes may still be read, so an answer to a read does not end trouble with changes.
 */
export interface StoreHealth {
  /** The store did not answer. */
  away(cause: unknown): void;
  /** The store refused the login, which only its operator can mend: logged even if it was away already. */
  denied(cause: unknown): void;
  /** The store refused or failed to change anything. */
  unwritable(cause: unknown): void;
  /** The store answered. */
  readable(): void;
  /** The store carried out a change. */
  well(): void;
}

/** Health that nobody is told of. */
export const UNWATCHED: StoreHealth = {
  away() {},
  denied() {},
  unwritable() {},
  readable() {},
  well() {},
};

type Trouble = "away" | "denied" | "unwritable";

export interface StoreHealthOptions {
  /** One of several servers; left out for a store as a whole. */
  node?: string | undefined;
  /** Called when it becomes well and when it ceases to be. */
  onChange?(well: boolean): void;
}

/** The health of a store, or of one of its nodes; assumed to be well at first. */
export function createStoreHealth(
  log: Log,
  { node, onChange }: StoreHealthOptions = {},
): StoreHealth {
  const troubles = new Set<Trouble>();

  function begin(trouble: Trouble, cause: unknown): void {
    const reported = troubles.has(trouble) || (trouble !== "denied" && troubles.size > 0);
    troubles.add(trouble);
    onChange?.(false);
    if (!reported) log.error("store unavailable", { node, cause });
  }

  function end(...ended: readonly Trouble[]): void {
    for (const trouble of ended) troubles.delete(trouble);
    if (troubles.size > 0) return;
    log.info("store available", { node });
    onChange?.(true);
  }

  return {
    away: (cause) => begin("away", cause),
    denied: (cause) => begin("denied", cause),
    unwritable: (cause) => begin("unwritable", cause),
    readable() {
      if (troubles.has("away") || troubles.has("denied")) end("away", "denied");
    },
    well() {
      if (troubles.size > 0) end("away", "denied", "unwritable");
    },
  };
}

/** The name in the metrics of a store that is one node. */
export const WHOLE = "store";

/** The same, reported in the metrics as well as in the log. */
export function meteredHealth(
  { log, metrics, node }: { log: Log; metrics: Metrics; node: string | undefined },
): StoreHealth {
  const name = node ?? WHOLE;
  metrics.nodes.set(name, true);
  return createStoreHealth(log, {
    node,
    onChange(well) {
      // A node that is gone may still report its end.
      if (metrics.nodes.has(name)) metrics.nodes.set(name, well);
    },
  });
}
