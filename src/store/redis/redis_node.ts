import type { RedisAddress } from "../../start/redis_address.ts";
import { Problem } from "../../problem.ts";
import { within } from "../../counter/within.ts";
import type { StoreHealth } from "../store_health.ts";
import { RedisLink } from "./redis_link.ts";
import type { RedisLibrary } from "./redis_client.ts";
import type { Reply } from "./connection/reply.ts";
import { type Command, writes } from "./store_link.ts";

/** Options of {@linkcode RedisNode}. */
export interface RedisNodeOptions {
  address: RedisAddress;
  library: RedisLibrary;
  health: StoreHealth;
  /** How many replicas must have what is written before it counts as done. */
  replicas: number;
  /** Called with what a server tells of itself, each time that it is connected. */
  onInfo(info: string): void;
}

/** How many batches may write at once where each holds up its connection until the replicas have it. */
const WRITERS = 4;
/** How long replicas may take: less than a connection may be silent until it is taken to be dead. */
const REPLICAS_MS = 1000;

/**
 * One Redis, as far as this process may rely on it.
 *
 * A server that hung may have been replaced by another meanwhile and not know it yet: it would take hits that are lost
 * when it finds out. So a connection is used only once somebody else has confirmed the server after it was ready.
 */
export class RedisNode {
  readonly address: RedisAddress;
  readonly health: StoreHealth;
  readonly #replicas: number;
  readonly #reader: RedisLink;
  /** They take turns where replicas are waited for. */
  readonly #writers: readonly RedisLink[];
  readonly #underWay = new Map<RedisLink, number>();
  #confirmedAt = -Infinity;
  #retired = false;

  constructor({ replicas, ...options }: RedisNodeOptions) {
    this.address = options.address;
    this.health = options.health;
    this.#replicas = replicas;
    this.#reader = new RedisLink(options);
    const silent = { ...options, onInfo() {} };
    this.#writers = Array.from(
      { length: replicas > 0 ? WRITERS : 0 },
      () => new RedisLink(silent),
    );
  }

  /** Resolves when the first attempts to connect have ended, well or not. */
  get tried(): Promise<unknown> {
    return Promise.all(this.#links.map((link) => link.tried));
  }

  /** Whether it is connected and confirmed. */
  get usable(): boolean {
    return this.#links.every((link) => this.#isUsable(link));
  }

  /** Since when it is connected for reads without a break, by `performance.now()`; Infinity where it is not. */
  get readySince(): number {
    return this.#reader.readySince;
  }

  /** Says that who was asked at this time, by `performance.now()`, or later named this server as the one to use. */
  confirm(askedAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, askedAt);
  }

  /** Sends commands together and resolves with a reply to each; rejects, nothing sent, where it is not to be used. */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = this.#awaitsReplicas(commands)
      ? await this.#write(commands)
      : await this.#confirmed(this.#reader).send(commands);
    return this.#retired
      ? doubted(replies, new Error("Another Redis has taken its place"))
      : replies;
  }

  /** Ends all connections, as another server has taken its place: what it still answers is not to be relied on. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.close();
  }

  /** Asks what does not depend on whether this server is the one to use. */
  ask(commands: readonly Command[]): Promise<readonly Reply[]> {
    return this.#reader.send(commands);
  }

  /** Lets commands under way end for a moment, then disconnects for good. */
  async close(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.close()));
  }

  get #links(): readonly RedisLink[] {
    return [this.#reader, ...this.#writers];
  }

  #isUsable(link: RedisLink): boolean {
    return link.readySince <= this.#confirmedAt;
  }

  #confirmed(link: RedisLink | undefined): RedisLink {
    if (link === undefined || !this.#isUsable(link)) throw new Problem("store-unavailable");
    return link;
  }

  #awaitsReplicas(commands: readonly Command[]): boolean {
    return this.#replicas > 0 && commands.some(writes);
  }

  /** WAIT looks at what its own connection wrote, and holds that connection up. */
  async #write(commands: readonly Command[]): Promise<readonly Reply[]> {
    const link = this.#idlestWriter();
    this.#underWay.set(link, this.#busy(link) + 1);
    try {
      const wait = ["WAIT", String(this.#replicas), String(REPLICAS_MS)];
      return this.#judged(await link.send([...commands, wait]));
    } finally {
      this.#underWay.set(link, this.#busy(link) - 1);
    }
  }

  /** What too few replicas have may be lost with the master. */
  #judged(replies: readonly Reply[]): readonly Reply[] {
    const wait = replies.at(-1);
    const have = wait?.kind === "done" ? Number(wait.value) : 0;
    const own = replies.slice(0, -1);
    if (have >= this.#replicas) return own;
    const cause = new Error(`${have} of ${this.#replicas} replicas have it`);
    this.health.unwritable(cause);
    return doubted(own, cause);
  }

  #idlestWriter(): RedisLink {
    const [idlest] = this.#writers.filter((link) => this.#isUsable(link))
      .sort((one, other) => this.#busy(one) - this.#busy(other));
    return this.#confirmed(idlest);
  }

  #busy(link: RedisLink): number {
    return this.#underWay.get(link) ?? 0;
  }
}

/** Waits until the first attempts to connect to nodes have ended, but no longer than until then by `performance.now()`. */
export async function arrived(nodes: Iterable<RedisNode>, until: number): Promise<void> {
  const tried = Promise.all(Array.from(nodes, (node) => node.tried));
  await within(until - performance.now(), tried).catch(() => {});
}

/** The host and port of an address. */
export function nameOf({ host, port }: Pick<RedisAddress, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What was done may be undone: nobody knows. */
function doubted(replies: readonly Reply[], cause: Error): readonly Reply[] {
  return replies.map((reply) => reply.kind === "done" ? { kind: "lost", cause } : reply);
}
