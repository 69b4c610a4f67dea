import { Problem } from "../../problem.ts";
import type { StoreHealth } from "../store_health.ts";
import type { RedisNode } from "./redis_node.ts";
import { scanNode } from "./scan_node.ts";
import type { StoreLink } from "./store_link.ts";

/** Options of {@linkcode singleLink}. */
export interface SingleLinkOptions {
  health: StoreHealth;
  /** The Redis to use right now; undefined where none is known. */
  node(): RedisNode | undefined;
  close(): Promise<void>;
}

/** The way to a store that one Redis holds as a whole. */
export function singleLink({ health, node, close }: SingleLinkOptions): StoreLink {
  function known(): RedisNode {
    const found = node();
    if (found === undefined) throw new Problem("store-unavailable");
    return found;
  }

  return {
    health,
    together: true,
    send: async (commands) => await known().send(commands),
    shards: (prefix) => [{ name: "all", key: `${prefix}home` }],
    scan: (prefix) => scanNode(known(), prefix),
    close,
  };
}
