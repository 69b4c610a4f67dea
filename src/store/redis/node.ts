import type { RedisAddress, RedisSetting } from "../setting.ts";
import { withTimeout } from "../../waiting.ts";
import { Failure } from "../../domain/errors.ts";
import type { Metrics } from "../../metrics.ts";
import type { StoreHealth } from "../store_health.ts";
import { type ConnectionOptions, RedisConnection } from "./connection.ts";
import {
  type Command,
  failureOf,
  isFailure,
  isRefused,
  isWrite,
  type Reply,
  UNSENT,
} from "./reply.ts";

/** Time in which the nodes of a cluster or the Sentinels have to connect, in milliseconds. */
const OPEN_MS = 700;
/** Time in which a node has to list the slots, or a Sentinel its masters, in milliseconds. */
const ASK_MS = 300;
/** Timeout of WAIT, in milliseconds. Less than `STALL_MS`, because WAIT blocks its connection. */
const REPLICAS_MS = 1000;
/**
 * Number of keys that a server looks at per SCAN, which blocks it for about half a millisecond.
 * With fewer, the list of one prefix among many would spend its time on round trips.
 */
const KEYS_PER_SCAN = 500;

/** The host and port of a server. */
export type HostPort = Pick<RedisAddress, "host" | "port">;

/** A part of a store that can be available while others are not. A single Redis has one. */
export interface Shard {
  /** Identifies the part to an operator without its address. */
  readonly name: string;
  /** A key that is stored in it. */
  readonly key: string;
  /** Sends commands without a key to its master. */
  ask(commands: readonly Command[]): Promise<readonly Reply[]>;
}

/**
 * The connections to a single Redis, the master that Sentinels name, or a whole cluster. A command
 * takes these steps:
 *
 * 1. `sendScripts` sends a script that Redis does not know by its text.
 * 2. A link sends it to the node of its slot, and again after a redirect.
 * 3. A node adds WAIT for its replicas, and reports its health.
 * 4. A connection sends it as part of a pipeline, once.
 */
export interface StoreLink {
  /** True if one command may name keys of different slots. */
  readonly multiKeyAcrossSlots: boolean;
  /** The time by `performance.now()` at which a connection became ready last. */
  readonly connectedAt: number;
  /** Sends commands as one pipeline, none twice. Resolves with their replies in order. */
  send(commands: readonly Command[]): Promise<readonly Reply[]>;
  /** Returns the parts, each with a key that begins with `prefix`. */
  shards(prefix: string): readonly Shard[];
  /** Yields every key that begins with `prefix`, in pages. A key may be repeated. */
  scan(prefix: string): AsyncIterable<readonly string[]>;
  /** Gives commands in flight a moment to finish, then disconnects. */
  close(): Promise<void>;
}

/** The options of every form of Redis. */
export interface LinkOptions {
  setting: RedisSetting;
  /** Number of replicas that must have a write before it counts as done. */
  replicas: number;
  /** The health of the store as a whole. */
  health: StoreHealth;
  /** Returns the health of one node of a cluster. */
  healthOf(node: string): StoreHealth;
  metrics: Pick<Metrics, "nodes">;
}

export type NodeOptions = ConnectionOptions & Pick<LinkOptions, "replicas" | "health">;

/**
 * A Redis server that is used only while it is known to be the right one.
 *
 * A server that hung may have been replaced in a failover without knowing it. It would accept hits
 * that are lost when it is told. So a connection is used only if another server named this one
 * after the connection was ready.
 */
export class RedisNode {
  readonly address: RedisAddress;
  readonly #options: NodeOptions;
  readonly #reader: RedisConnection;
  /** A connection of its own if replicas are waited for, because WAIT blocks it. */
  readonly #writer: RedisConnection;
  /** The time by `performance.now()` when a cluster last named it. */
  namedAt = -Infinity;
  #confirmedAt = -Infinity;

  constructor(options: NodeOptions) {
    this.address = options.address;
    this.#options = options;
    this.#reader = new RedisConnection(options);
    this.#writer = options.replicas > 0 ? new RedisConnection(options) : this.#reader;
  }

  /** Resolves when the first attempts to connect have ended. */
  get attempted(): Promise<unknown> {
    return Promise.all([this.#reader.attempted, this.#writer.attempted]);
  }

  /** The time by `performance.now()` at which it was connected. Infinity if it is not. */
  get connectedAt(): number {
    return Math.max(this.#reader.readySince, this.#writer.readySince);
  }

  /** True if it is connected and confirmed. */
  get isUsable(): boolean {
    const { connectedAt } = this;
    // A single Redis is confirmed for ever, but not while its connection is down.
    return connectedAt < Infinity && connectedAt <= this.#confirmedAt;
  }

  /** Records that another server, asked at this time, named this one as the one to use. */
  confirm(askedAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, askedAt);
  }

  /**
   * Sends commands as one pipeline, with WAIT at its end if they write and replicas are waited for.
   * Sends nothing while the server is not usable. Reports to the health what the replies say.
   */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    if (!this.isUsable) return commands.map(() => UNSENT);
    const { replicas, health } = this.#options;
    const isWriting = commands.some(isWrite);
    const waits = isWriting && replicas > 0;
    const sent = waits ? [...commands, ["WAIT", `${replicas}`, `${REPLICAS_MS}`]] : commands;
    // WAIT covers the writes of its connection.
    let replies = await (isWriting ? this.#writer : this.#reader).send(sent);
    let count = Infinity;
    if (waits) {
      const last = replies.at(-1);
      count = last?.kind === "done" ? Number(last.value) : 0;
      const cause = new Error(`${count} of ${replicas} replicas have it`);
      if (last?.kind === "done" && count < replicas) health.unwritable(cause);
      // With too few replicas, what was done counts as lost, because a failover may undo it.
      replies = replies.slice(0, -1).map((reply) => {
        return reply.kind === "done" && count < replicas ? { kind: "lost", cause } : reply;
      });
    }
    const forbidden = replies.find((reply) => isRefused(reply, "forbidden"));
    if (forbidden?.kind === "refused") health.forbidden(forbidden.cause);
    const failure = replies.find(isFailure);
    if (failure?.kind === "refused" && isWriting) health.unwritable(failure.cause);
    else if (failure !== undefined) health.unreachable(failure.cause);
    // A key that is refused says nothing about the store.
    else if (replies.every((reply) => isRefused(reply, "missingKey"))) return replies;
    else if (isWriting && count >= replicas) health.healthy();
    else health.readable();
    return replies;
  }

  /** Sends commands whose reply does not depend on whether this server is confirmed. */
  readonly ask = (commands: readonly Command[]): Promise<readonly Reply[]> => {
    return this.#reader.send(commands);
  };

  /**
   * Yields the keys that begin with `prefix`, in pages. A key that exists throughout is yielded at
   * least once. Throws if the connection breaks, because the cursor has another meaning for another
   * server, and for this one after a restart.
   */
  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, "\\$&")}*`;
    const since = this.#reader.readySince;
    let cursor = "0";
    do {
      const scan = ["SCAN", cursor, "MATCH", pattern, "COUNT", String(KEYS_PER_SCAN)];
      const [reply] = await this.send([scan]);
      if (reply?.kind !== "done" || !Array.isArray(reply.value)) {
        throw failureOf(reply, "store-unavailable");
      }
      if (this.#reader.readySince !== since) throw new Failure("store-unavailable");
      const [next, keys] = reply.value;
      cursor = String(next);
      yield keys.map(String);
    } while (cursor !== "0");
  }

  /** Closes its connections, see `RedisConnection.close`. */
  async close(grace?: number): Promise<void> {
    await Promise.all([this.#reader.close(grace), this.#writer.close(grace)]);
  }
}

/** Returns the link to a store on one Redis. `node` returns the server to use now. */
export function singleLink(node: () => RedisNode, close: () => Promise<void>): StoreLink {
  return {
    multiKeyAcrossSlots: true,
    get connectedAt() {
      return node().connectedAt;
    },
    send: (commands) => node().send(commands),
    shards: (prefix) => [{ name: "all", key: `${prefix}home`, ask: node().ask }],
    scan: (prefix) => node().scan(prefix),
    close,
  };
}

/**
 * Connects to servers that name the masters, then to the masters. Resolves when all have connected
 * or failed to, or after 0.7 s.
 */
export async function connectServers(
  seeds: Iterable<Pick<RedisNode, "attempted">>,
  refresh: () => Promise<void>,
  masters: () => Iterable<RedisNode>,
): Promise<void> {
  const until = performance.now() + OPEN_MS;
  await waitForAttempts(seeds, until);
  await refresh();
  await waitForAttempts(masters(), until);
  await refresh();
}

/** Waits for the first attempts to connect, at most until this time by `performance.now()`. */
export async function waitForAttempts(
  nodes: Iterable<Pick<RedisNode, "attempted">>,
  until: number,
): Promise<void> {
  const attempted = Promise.all(Array.from(nodes, (node) => node.attempted));
  await withTimeout(Math.max(0, until - performance.now()), attempted).catch(() => {});
}

/** Returns the list with which a server replies to the last command. Undefined if it does not. */
export async function askForList(
  ask: Shard["ask"],
  ...commands: readonly Command[]
): Promise<readonly unknown[] | undefined> {
  const replies = await withTimeout(ASK_MS, ask(commands)).catch(() => []);
  const reply = replies.at(-1);
  return reply?.kind === "done" && Array.isArray(reply.value) ? reply.value : undefined;
}

/** Returns a function that runs `ask` once at a time. Calls during a run share the next one. */
export function oneAtATime(ask: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  function begin(): Promise<void> {
    next = undefined;
    return running = ask();
  }
  // Also after a run that failed.
  return () => next ??= running.then(begin, begin);
}

/** Returns the host and port of an address, as in a URL. */
export function nameOf({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
