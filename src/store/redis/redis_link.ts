import type { RedisAddress } from "../../start/redis_address.ts";
import { Problem } from "../../problem.ts";
import { StartError } from "../../start_error.ts";
import type { StoreHealth } from "../store_health.ts";

/** What became of a command. */
export type Reply =
  | { readonly kind: "done"; readonly value: unknown }
  /** Redis answered with an error, or the command never left this process: it surely was not carried out. */
  | { readonly kind: "refused"; readonly cause: Error }
  /** The connection ended before the reply: it may have been carried out. */
  | { readonly kind: "lost"; readonly cause: unknown };

/** Options of {@linkcode RedisLink}. */
export interface RedisLinkOptions {
  address: RedisAddress;
  /** The client library, handed in so that only who uses Redis loads it. */
  library: RedisLibrary;
  health: StoreHealth;
  /** Called where this Redis cannot be used at all. */
  onUnusable(error: StartError): void;
}

type RedisLibrary = typeof import("@redis/client");
type Client = ReturnType<typeof createClient>;

/** Without a reply for this long while commands are under way, the connection is taken to be dead; milliseconds. */
const STALL = 1500;
/** How long a connection may take from TCP to the end of the handshake, in milliseconds. */
const HANDSHAKE = 2000;
const WATCH_INTERVAL = 250;

/** One connection to a Redis that is kept alive for as long as the process runs; nothing is ever sent twice. */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #tried = Promise.withResolvers<void>();
  #client: Client;
  #underWay = 0;
  /** When the last sign of life came, by `performance.now()`. */
  #progress = performance.now();
  #closing: Promise<void> | undefined;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#client = this.#connect();
    this.#watch = setInterval(() => this.#replaceIfDead(), WATCH_INTERVAL);
  }

  /** Resolves when the first attempt to connect has ended, well or not. */
  get tried(): Promise<void> {
    return this.#tried.promise;
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
    return settled.map((result) => this.#replyOf(result));
  }

  /** Lets commands under way end for a moment, then disconnects for good. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #replyOf(result: PromiseSettledResult<unknown>): Reply {
    if (result.status === "fulfilled") return { kind: "done", value: result.value };
    const { ErrorReply, ClientOfflineError, ClientClosedError } = this.#options.library;
    const cause = result.reason;
    const refused = cause instanceof ErrorReply || cause instanceof ClientOfflineError ||
      cause instanceof ClientClosedError;
    return refused ? { kind: "refused", cause } : { kind: "lost", cause };
  }

  async #end(): Promise<void> {
    clearInterval(this.#watch);
    const client = this.#client;
    // A server that hangs would never let the commands end.
    const giveUp = setTimeout(() => client.destroy(), STALL);
    if (client.isReady) await client.close().catch(() => {});
    clearTimeout(giveUp);
    client.destroy();
  }

  #connect(): Client {
    const { address, library, health } = this.#options;
    const client = createClient(library, address);
    client.on("connect", () => this.#progress = performance.now());
    // A Redis that refuses is not silent: the client goes on trying, less and less often.
    client.on("reconnecting", () => this.#progress = performance.now());
    client.on("ready", () => this.#greet());
    client.on("error", (error) => {
      this.#tried.resolve();
      if (client === this.#client) health.away(error);
    });
    this.#progress = performance.now();
    // It retries by itself for ever; what goes wrong on the way is reported as "error".
    client.connect().catch(() => {});
    return client;
  }

  /**
   * A Redis takes connections before it has loaded its data, so it is back only with an answer; and a node of a Redis
   * Cluster holds a part of the keys only and would refuse all others, hit by hit.
   */
  async #greet(): Promise<void> {
    const [ping, info] = await this.send([["PING"], ["INFO", "cluster"]]).catch(() => []);
    if (ping?.kind === "done") this.#options.health.well();
    this.#tried.resolve();
    if (info?.kind !== "done" || !String(info.value).includes("cluster_enabled:1")) return;
    this.#options.onUnusable(
      new StartError(
        "The store is a node of a Redis Cluster, which is not supported: use a single Redis",
      ),
    );
  }

  /** A server that hangs never lets go of a connection, and the client does not notice: begin anew. */
  #replaceIfDead(): void {
    const silence = performance.now() - this.#progress;
    const ready = this.#client.isReady;
    const dead = ready ? this.#underWay > 0 && silence > STALL : silence > HANDSHAKE;
    if (!dead || this.#closing !== undefined) return;
    const old = this.#client;
    this.#options.health.away(new Error("Redis does not answer"));
    this.#tried.resolve();
    this.#client = this.#connect();
    if (old.isOpen) old.destroy();
  }
}

const ADDRESS = /^[\d.]+$|:/;

/** Each setting was found right in every outage tried; see the tests of faults. */
function createClient(library: RedisLibrary, address: RedisAddress) {
  const { host, port, tls, username, password, database } = address;
  const socket = { host, port, connectTimeout: 1500, reconnectStrategy };
  return library.createClient({
    // TLS has names of servers only, no addresses (RFC 6066, section 3).
    socket: tls ? { ...socket, tls, ...(!ADDRESS.test(host) && { servername: host }) } : socket,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    database,
    RESP: 2,
    maintNotifications: "disabled",
    disableOfflineQueue: true,
    commandOptions: {
      // Calls have a deadline of their own; the client would set a timer of 5 s for every command.
      timeout: 0,
      // The client reads numbers within 57 of 2^53 as others close by.
      typeMapping: { [library.RESP_TYPES.NUMBER]: String },
    },
    pingInterval: 5000,
  });
}

/** Milliseconds before the next try: 50, doubled up to 1,000, with a fifth of jitter. */
function reconnectStrategy(retries: number): number {
  return Math.min(50 * 2 ** retries, 1000) * (1 + Math.random() / 5);
}
