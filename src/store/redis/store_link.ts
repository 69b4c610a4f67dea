import type { StoreHealth } from "../store_health.ts";
import type { Reply } from "./connection/reply.ts";

/** A command of Redis: its name and its arguments. */
export type Command = readonly string[];

const READS: ReadonlySet<string> = new Set(["GET", "MGET", "SCAN", "CLUSTER"]);

/** Whether a command may write. */
export function writes([name = ""]: Command): boolean {
  return !READS.has(name);
}

/** A part of a store that takes hits, or not, apart from the others; a single Redis has one. */
export interface Shard {
  /** Which part it is, for an operator and without telling where it is. */
  readonly name: string;
  /** A key that lies in it. */
  readonly key: string;
}

/** The way to a Redis, to the master that Sentinels name, or to all of a Redis Cluster; nothing is ever sent twice. */
export interface StoreLink {
  /** Of what it leads to as a whole; the nodes of a cluster have their own. */
  readonly health: StoreHealth;
  /** Whether keys need not lie in one slot to be asked for in one command. */
  readonly together: boolean;
  /** Sends commands together and resolves with a reply to each, in their order; all keys of a command lie in one slot. */
  send(commands: readonly Command[]): Promise<readonly Reply[]>;
  /** Its parts, each with a key that begins with `prefix`. */
  shards(prefix: string): readonly Shard[];
  /** Every key that begins with `prefix`, in pages; one may come twice. */
  scan(prefix: string): AsyncIterable<readonly string[]>;
  /** Lets commands under way end for a moment, then disconnects for good. */
  close(): Promise<void>;
}
