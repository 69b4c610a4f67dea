import type { RedisAddress } from "../../../start/store_address.ts";
import { Problem } from "../../../problem.ts";
import { withTimeout } from "../../../counter/store.ts";
import type { StoreHealth } from "../../store_health.ts";
import { KEYS_PER_SCAN, REPLICAS_MS, WRITERS } from "../limits.ts";
import { type Command, isWrite, RedisConnection, type RedisLibrary } from "./client.ts";
import { type HostPort, problemOf, type Reply } from "./reply.ts";

/** A part of a store that can be available while others are not; a single Redis has one. */
export interface Shard {
  /** Identifies the part to an operator without revealing its address. */
  readonly name: string;
  /** A key that is stored in it. */
  readonly key: string;
  /** Sends commands without a key to its master. */
  ask(commands: readonly Command[]): Promise<readonly Reply[]>;
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

export interface NodeOptions {
  address: RedisAddress;
  library: RedisLibrary;
  health: StoreHealth;
  /** How many replicas must have a write before it counts as done. */
  replicas: number;
  /** Called with the text of INFO each time that the server is connected, and now and then. */
  onInfo(info: string): void;
}

/**
 * One Redis, used only while it is confirmed to be the right one.
 *
 * A server that hung may have been replaced in a failover without knowing it: it would accept hits that are lost when it
 * finds out. So a connection is used only if another server (a Sentinel, a node) named this one after it was ready.
 */
export class RedisNode {
  readonly address: RedisAddress;
  readonly health: StoreHealth;
  readonly #replicas: number;
  readonly #reader: RedisConnection;
  /** Empty unless replicas are waited for. */
  readonly #writers: readonly RedisConnection[];
  readonly #pending = new Map<RedisConnection, number>();
  #confirmedAt = -Infinity;
  #retired = false;

  constructor({ replicas, ...options }: NodeOptions) {
    this.address = options.address;
    this.health = options.health;
    this.#replicas = replicas;
    this.#reader = new RedisConnection(options);
    const silent = { ...options, onInfo() {} };
    this.#writers = Array.from(
      { length: replicas > 0 ? WRITERS : 0 },
      () => new RedisConnection(silent),
    );
  }

  /** Resolves when the first attempts to connect have succeeded or failed. */
  get attempted(): Promise<unknown> {
    return Promise.all(this.#connections.map((connection) => connection.attempted));
  }

  /** Whether it is connected and confirmed. */
  get usable(): boolean {
    return this.#connections.every((connection) => this.#isUsable(connection));
  }

  /** Records that another server, asked at this time by `performance.now()` or later, named this one as the one to use. */
  confirm(askedAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, askedAt);
  }

  /** Sends commands as one pipeline and resolves with their replies; if it is not usable it rejects and has sent nothing. */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = this.#replicas > 0 && commands.some(isWrite)
      ? await this.#write(commands)
      : await this.#confirmed(this.#reader).send(commands);
    return this.#retired
      ? uncertain(replies, new Error("Another Redis has taken its place"))
      : replies;
  }

  /** Sends commands whose answer does not depend on whether this server is confirmed. */
  readonly ask = (commands: readonly Command[]): Promise<readonly Reply[]> => {
    return this.#reader.send(commands);
  };

  /**
   * The keys that begin with `prefix`, in pages; one that exists throughout comes at least once. Throws if the connection
   * breaks meanwhile: for another server, or for this one after a restart, the cursor means something else.
   */
  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, "\\$&")}*`;
    const since = this.#reader.readySince;
    let cursor = "0";
    do {
      const [reply] = await this.send([[
        "SCAN",
        cursor,
        "MATCH",
        pattern,
        "COUNT",
        String(KEYS_PER_SCAN),
      ]]);
      if (reply?.kind !== "done" || !Array.isArray(reply.value)) {
        throw problemOf(reply, "store-unavailable");
      }
      if (this.#reader.readySince !== since) throw new Problem("store-unavailable");
      const [next, keys] = reply.value;
      cursor = String(next);
      yield keys.map(String);
    } while (cursor !== "0");
  }

  /** Closes all connections because another server has taken its place: what it still answers is uncertain. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.close();
  }

  /** Gives pending commands a moment to finish, then disconnects for good. */
  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  get #connections(): readonly RedisConnection[] {
    return [this.#reader, ...this.#writers];
  }

  #isUsable(connection: RedisConnection): boolean {
    const { readySince } = connection;
    // A single Redis is confirmed for ever: that must not include a connection that is down.
    return readySince < Infinity && readySince <= this.#confirmedAt;
  }

  #confirmed(connection: RedisConnection | undefined): RedisConnection {
    if (connection === undefined || !this.#isUsable(connection)) {
      throw new Problem("store-unavailable");
    }
    return connection;
  }

  /** WAIT covers what its own connection wrote, and blocks that connection. */
  async #write(commands: readonly Command[]): Promise<readonly Reply[]> {
    const writer = this.#idlestWriter();
    this.#pending.set(writer, this.#pendingOn(writer) + 1);
    try {
      const wait = ["WAIT", String(this.#replicas), String(REPLICAS_MS)];
      return this.#replicated(await writer.send([...commands, wait]));
    } finally {
      this.#pending.set(writer, this.#pendingOn(writer) - 1);
    }
  }

  /** The replies before that of WAIT; a write that too few replicas have may be lost with the master. */
  #replicated(replies: readonly Reply[]): readonly Reply[] {
    const wait = replies.at(-1);
    const have = wait?.kind === "done" ? Number(wait.value) : 0;
    const own = replies.slice(0, -1);
    if (have >= this.#replicas) return own;
    const cause = new Error(`${have} of ${this.#replicas} replicas have it`);
    this.health.unwritable(cause);
    return uncertain(own, cause);
  }

  #idlestWriter(): RedisConnection {
    const [idlest] = this.#writers.filter((writer) => this.#isUsable(writer))
      .sort((one, other) => this.#pendingOn(one) - this.#pendingOn(other));
    return this.#confirmed(idlest);
  }

  #pendingOn(writer: RedisConnection): number {
    return this.#pending.get(writer) ?? 0;
  }
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
    shards: (prefix) => {
      const { ask } = known();
      return [{ name: "all", key: `${prefix}home`, ask }];
    },
    scan: (prefix) => known().scan(prefix),
    close,
  };
}

/** Waits until the first attempts to connect to nodes have ended, at most until this time by `performance.now()`. */
export async function connectionsAttempted(
  nodes: Iterable<RedisNode>,
  until: number,
): Promise<void> {
  const attempted = Promise.all(Array.from(nodes, (node) => node.attempted));
  await withTimeout(Math.max(0, until - performance.now()), attempted).catch(() => {});
}

/** The host and port of an address, as in a URL. */
export function nameOf({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What was done may be undone by a failover. */
function uncertain(replies: readonly Reply[], cause: Error): readonly Reply[] {
  return replies.map((reply) => reply.kind === "done" ? { kind: "lost", cause } : reply);
}
