import type { RedisAddress } from "../../start/redis_address.ts";
import { Problem } from "../../problem.ts";
import type { StoreHealth } from "../store_health.ts";
import { backoff, createRedisClient, type RedisClient, type RedisLibrary } from "./redis_client.ts";
import {
  isLoginRefused,
  isReplicaRefusal,
  needsLogin,
  type Reply,
  replyOf,
} from "./connection/reply.ts";

/** Options of {@linkcode RedisLink}. */
export interface RedisLinkOptions {
  address: RedisAddress;
  library: RedisLibrary;
  health: StoreHealth;
  /** Called with what this Redis tells of itself, when it is connected and now and then. */
  onInfo(info: string): void;
}

/** Without a reply for this long while commands are under way, the connection is taken to be dead. */
const STALL_MS = 1500;
/** How long a connection may take from TCP to the end of the handshake. */
const HANDSHAKE_MS = 2000;
const WATCH_INTERVAL_MS = 250;
/** How often Redis is asked what it is, so that one that hangs or lost its role is noticed although nobody calls. */
const GREET_INTERVAL_MS = 5000;

const GREETING = [["PING"], ["INFO", "server"], ["INFO", "cluster"], ["INFO", "replication"]];

/** One connection to a Redis that is kept alive for as long as the process runs; nothing is ever sent twice. */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #tried = Promise.withResolvers<void>();
  #client: RedisClient;
  /** A connection under way that is to take the place of one to a Redis that takes no writes. */
  #successor: RedisClient | undefined;
  /** How many were begun since a master was seen, and when the next one may be, by `performance.now()`. */
  #successors = 0;
  #nextSuccessor = 0;
  #underWay = 0;
  /** When the last sign of life came, by `performance.now()`. */
  #progress = performance.now();
  #greeted = performance.now();
  /** When the present connection became ready. */
  #readySince = Infinity;
  #closing: Promise<void> | undefined;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#client = this.#connect();
    this.#watch = setInterval(() => this.#lookAfter(), WATCH_INTERVAL_MS);
  }

  /** Resolves when the first attempt to connect has ended, well or not. */
  get tried(): Promise<void> {
    return this.#tried.promise;
  }

  /** Since when it is connected without a break, by `performance.now()`; Infinity where it is not. */
  get readySince(): number {
    return this.#client.isReady ? this.#readySince : Infinity;
  }

  /** Sends commands together and resolves with a reply to each; rejects, nothing sent, where there is no connection. */
  async send(commands: readonly (readonly string[])[]): Promise<readonly Reply[]> {
    const client = this.#client;
    if (!client.isReady) throw new Problem("store-unavailable");
    if (this.#underWay === 0) this.#progress = performance.now();
    this.#underWay += commands.length;
    const settled = await Promise.allSettled(
      commands.map((command) => client.sendCommand(command)),
    );
    this.#underWay -= commands.length;
    this.#progress = performance.now();
    const replies = settled.map((result) => replyOf(result, this.#options.library));
    if (replies.some(isReplicaRefusal)) this.#seekMaster();
    return replies;
  }

  /** Lets commands under way end for a moment, then disconnects for good. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearInterval(this.#watch);
    this.#dropSuccessor();
    await release(this.#client);
  }

  #connect(): RedisClient {
    const { address, library } = this.#options;
    const client = createRedisClient(library, address);
    client.on("connect", () => this.#progress = performance.now());
    // A Redis that refuses is not silent: the client goes on trying, less and less often.
    client.on("reconnecting", () => this.#progress = performance.now());
    client.on("ready", () => this.#begin(client));
    client.on("error", (error) => this.#fail(client, error));
    this.#progress = performance.now();
    // It retries by itself for ever; what goes wrong on the way is reported as "error".
    client.connect().catch(() => {});
    return client;
  }

  #begin(client: RedisClient): void {
    if (client === this.#successor) {
      this.#successor = undefined;
      // Those who wait for the old one still get their answers from it.
      release(this.#client);
      this.#client = client;
    }
    if (client !== this.#client) return;
    this.#readySince = performance.now();
    this.#greet();
  }

  #fail(client: RedisClient, error: unknown): void {
    if (client === this.#successor) return this.#dropSuccessor();
    if (client !== this.#client) return;
    if (error instanceof Error && isLoginRefused(error)) this.#options.health.denied(error);
    else this.#options.health.away(error);
    this.#tried.resolve();
  }

  /** A Redis takes connections before it has loaded its data, so it is back only with an answer. */
  async #greet(): Promise<void> {
    this.#greeted = performance.now();
    const [ping, ...infos] = await this.send(GREETING).catch(() => []);
    const { health } = this.#options;
    if (ping?.kind === "done") health.readable();
    if (needsLogin(ping)) health.denied(ping.cause);
    else if (ping !== undefined) {
      this.#learn(infos.map((reply) => reply.kind === "done" ? String(reply.value) : "").join(""));
    }
    this.#tried.resolve();
  }

  /** Takes up what Redis tells of itself, which is nothing where this user may not ask. */
  #learn(info: string): void {
    this.#options.onInfo(info);
    if (info.includes("role:master")) this.#successors = 0;
    if (info.includes("role:slave")) this.#seekMaster();
  }

  /**
   * After a failover the name of a Redis leads to another one, and it is looked up with every new connection. The old one
   * is kept meanwhile, as it may still be read.
   */
  #seekMaster(): void {
    const now = performance.now();
    const early = now < this.#nextSuccessor;
    if (early || this.#successor !== undefined || this.#closing !== undefined) return;
    this.#nextSuccessor = now + backoff(this.#successors++);
    this.#successor = this.#connect();
  }

  #dropSuccessor(): void {
    this.#successor?.destroy();
    this.#successor = undefined;
  }

  #lookAfter(): void {
    const now = performance.now();
    if (now > this.#nextSuccessor + HANDSHAKE_MS) this.#dropSuccessor();
    const silence = now - this.#progress;
    const ready = this.#client.isReady;
    if (ready ? this.#underWay > 0 && silence > STALL_MS : silence > HANDSHAKE_MS) this.#replace();
    else if (ready && now - this.#greeted > GREET_INTERVAL_MS) this.#greet();
  }

  /** A server that hangs never lets go of a connection, and the client does not notice: begin anew. */
  #replace(): void {
    const old = this.#client;
    this.#options.health.away(new Error("Redis does not answer"));
    this.#tried.resolve();
    this.#client = this.#connect();
    old.destroy();
  }
}

/** Disconnects as soon as commands under way have ended; a server that hangs would never let them. */
async function release(client: RedisClient): Promise<void> {
  const giveUp = setTimeout(() => client.destroy(), STALL_MS);
  if (client.isReady) await client.close().catch(() => {});
  clearTimeout(giveUp);
  client.destroy();
}
