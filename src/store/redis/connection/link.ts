import { Problem } from "../../../problem.ts";
import type { StoreHealth } from "../../store_health.ts";
import type { Command } from "./client.ts";
import type { RedisNode } from "./node.ts";
import type { Reply } from "./reply.ts";

/** A part of a store that can be available while others are not; a single Redis has one. */
export interface Shard {
  /** Identifies the part to an operator without revealing its address. */
  readonly name: string;
  /** A key that is stored in it. */
  readonly key: string;
}

/** How the store reaches its data: a single Redis, the master that Sentinels name, or a whole cluster. It never sends a command twice. */
export interface StoreLink {
  /** Of the store as a whole; the nodes of a cluster have their own. */
  readonly health: StoreHealth;
  /** Whether one command may name keys of different slots. */
  readonly multiKeyAcrossSlots: boolean;
  /** Sends commands as one pipeline and resolves with their replies in order; all keys of a command are in one slot. */
  send(commands: readonly Command[]): Promise<readonly Reply[]>;
  /** Its parts, each with a key that begins with `prefix`. */
  shards(prefix: string): readonly Shard[];
  /** Every key that begins with `prefix`, in pages; a key may be repeated. */
  scan(prefix: string): AsyncIterable<readonly string[]>;
  /** Gives pending commands a moment to finish, then disconnects for good. */
  close(): Promise<void>;
}

/** The link to a store that is on one Redis; `node` is the Redis to use now, undefined while none is known. */
export function singleLink({ health, node, close }: {
  health: StoreHealth;
  node(): RedisNode | undefined;
  close(): Promise<void>;
}): StoreLink {
  function known(): RedisNode {
    const found = node();
    if (found === undefined) throw new Problem("store-unavailable");
    return found;
  }

  return {
    health,
    multiKeyAcrossSlots: true,
    send: async (commands) => await known().send(commands),
    shards: (prefix) => [{ name: "all", key: `${prefix}home` }],
    scan: (prefix) => known().scan(prefix),
    close,
  };
}
