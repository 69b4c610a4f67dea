import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";

/**
 * Whether a store answers and can be changed; says so in the log once when that ends and once when all of it is back.
 *
 * A store that refuses changes may still be read, so an answer to a read ends no trouble with changes.
 */
export interface StoreHealth {
  /** The store did not answer. */
  away(cause: unknown): void;
  /** The store refused the login, which nobody but its operator ends: said even where it was away already. */
  denied(cause: unknown): void;
  /** The store did not change what it was asked to. */
  unwritable(cause: unknown): void;
  /** The store answered. */
  readable(): void;
  /** The store changed what it was asked to. */
  well(): void;
}

/** The health of what nobody watches. */
export const UNWATCHED: StoreHealth = {
  away() {},
  denied() {},
  unwritable() {},
  readable() {},
  well() {},
};

type Trouble = "away" | "denied" | "unwritable";

export interface StoreHealthOptions {
  /** Which of several servers it is about; left out for a store as a whole. */
  node?: string | undefined;
  /** Called where it ends or begins to be well. */
  onChange?(well: boolean): void;
}

/** The health of a store, or of one of its nodes, that is taken to be well until it is not. */
export function createStoreHealth(
  log: Log,
  { node, onChange }: StoreHealthOptions = {},
): StoreHealth {
  const troubles = new Set<Trouble>();

  function begin(trouble: Trouble, cause: unknown): void {
    const told = troubles.has(trouble) || (trouble !== "denied" && troubles.size > 0);
    troubles.add(trouble);
    onChange?.(false);
    if (!told) log.error("store unavailable", { node, cause });
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

/** What the metrics call a store that is one node. */
export const WHOLE = "store";

/** The health of a store, or of one of its nodes, that the log and the metrics report. */
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
