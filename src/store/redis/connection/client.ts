import type { RedisAddress } from "../../../start/store_address.ts";
import { Problem } from "../../../problem.ts";
import { withTimeout } from "../../../counter/store.ts";
import type { StoreHealth } from "../../store_health.ts";
import {
  CONNECT_MS,
  HANDSHAKE_MS,
  HEALTH_CHECK_INTERVAL_MS,
  STALL_MS,
  SUPERVISE_INTERVAL_MS,
} from "../limits.ts";
import { isLoginRefused, isReplicaRefusal, needsLogin, type Reply, replyOf } from "./reply.ts";

/** The client library, passed in so that it is loaded only if a Redis is used. */
export type RedisLibrary = typeof import("@redis/client");
/** One connection of the library, which reconnects by itself. */
type RedisClient = ReturnType<typeof createRedisClient>;

/** A command of Redis: its name and its arguments. */
export type Command = readonly string[];

const READS: ReadonlySet<string> = new Set(["GET", "MGET", "SCAN", "CLUSTER"]);

/** Whether a command may change something: a script counts as a write. */
export function isWrite([name = ""]: Command): boolean {
  return !READS.has(name);
}

export interface ConnectionOptions {
  address: RedisAddress;
  library: RedisLibrary;
  health: StoreHealth;
  /** Called with the text of INFO after each health check; empty if this user may not ask. */
  onInfo(info: string): void;
}

const HEALTH_CHECK = [["PING"], ["INFO", "server"], ["INFO", "cluster"], ["INFO", "replication"]];

/** One connection to a Redis, reopened for as long as the process runs. It never sends a command twice. */
export class RedisConnection {
  readonly #options: ConnectionOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #attempted = Promise.withResolvers<void>();
  #client: RedisClient;
  /** A connection being opened that is to replace one to a Redis that takes no writes. */
  #replacement: RedisClient | undefined;
  /** How many replacements were tried since a master was seen, and when the next one may be, by `performance.now()`. */
  #replacements = 0;
  #nextReplacement = 0;
  #pending = 0;
  /** How often in a row it was looked at without a sign of life: time in which this process stood still does not count. */
  #silentLooks = 0;
  #checkedAt = performance.now();
  #readySince = Infinity;
  #closing: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#client = this.#connect();
    this.#timer = setInterval(() => this.#supervise(), SUPERVISE_INTERVAL_MS);
  }

  /** Resolves when the first attempt to connect has succeeded or failed. */
  get attempted(): Promise<void> {
    return this.#attempted.promise;
  }

  /** Since when it has been connected without a break, by `performance.now()`; Infinity if it is not connected. */
  get readySince(): number {
    return this.#client.isReady ? this.#readySince : Infinity;
  }

  /** Sends commands as one pipeline and resolves with their replies; if it is not connected it rejects and has sent nothing. */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const client = this.#client;
    if (!client.isReady) throw new Problem("store-unavailable");
    if (this.#pending === 0) this.#silentLooks = 0;
    this.#pending += commands.length;
    const settled = await Promise.allSettled(
      commands.map((command) => client.sendCommand(command)),
    );
    this.#pending -= commands.length;
    this.#silentLooks = 0;
    const replies = settled.map((result) => replyOf(result, this.#options.library));
    if (replies.some(isReplicaRefusal)) this.#reconnectToMaster();
    return replies;
  }

  /** Gives pending commands a moment to finish, then disconnects for good. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.#dropReplacement();
    await release(this.#client);
  }

  #connect(): RedisClient {
    const { address, library } = this.#options;
    const client = createRedisClient(library, address);
    client.on("connect", () => {
      // The library forgets a socket that was still being opened when its client was destroyed.
      if (this.#isReleased(client)) client.destroy();
      else this.#silentLooks = 0;
    });
    // A Redis that refuses connections is not silent: the library keeps retrying, with backoff.
    client.on("reconnecting", () => this.#silentLooks = 0);
    client.on("ready", () => this.#becomeReady(client));
    client.on("error", (error) => this.#fail(client, error));
    this.#silentLooks = 0;
    // The library retries for ever; failures on the way are reported as "error".
    client.connect().catch(() => {});
    return client;
  }

  #isReleased(client: RedisClient): boolean {
    return this.#closing !== undefined || client !== this.#client && client !== this.#replacement;
  }

  #becomeReady(client: RedisClient): void {
    if (client === this.#replacement) {
      this.#replacement = undefined;
      // Commands pending on the old connection still get their replies from it.
      release(this.#client);
      this.#client = client;
    }
    if (client !== this.#client) return;
    this.#readySince = performance.now();
    this.#checkHealth();
  }

  #fail(client: RedisClient, error: unknown): void {
    if (client === this.#replacement) return this.#dropReplacement();
    if (client !== this.#client) return;
    if (error instanceof Error && isLoginRefused(error)) this.#options.health.loginRejected(error);
    else this.#options.health.unreachable(error);
    this.#attempted.resolve();
  }

  /** Redis accepts connections before it has loaded its data, so only a reply to PING shows that it is back. */
  async #checkHealth(): Promise<void> {
    this.#checkedAt = performance.now();
    const [ping, ...infos] = await this.send(HEALTH_CHECK).catch(() => []);
    const { health } = this.#options;
    if (ping?.kind === "done") health.readable();
    if (needsLogin(ping)) health.loginRejected(ping.cause);
    else if (ping !== undefined) {
      this.#readInfo(
        infos.map((reply) => reply.kind === "done" ? String(reply.value) : "").join(""),
      );
    }
    this.#attempted.resolve();
  }

  #readInfo(info: string): void {
    this.#options.onInfo(info);
    if (info.includes("role:master")) this.#replacements = 0;
    if (info.includes("role:slave")) this.#reconnectToMaster();
  }

  /**
   * After a failover the host name of a Redis leads to another server, and it is resolved again for every new connection.
   * The old connection is kept until the new one is ready, because the old server can still be read.
   */
  #reconnectToMaster(): void {
    const now = performance.now();
    const early = now < this.#nextReplacement;
    if (early || this.#replacement !== undefined || this.#closing !== undefined) return;
    this.#nextReplacement = now + backoff(this.#replacements++);
    this.#replacement = this.#connect();
  }

  #dropReplacement(): void {
    this.#replacement?.destroy();
    this.#replacement = undefined;
  }

  #supervise(): void {
    const now = performance.now();
    if (now > this.#nextReplacement + HANDSHAKE_MS) this.#dropReplacement();
    const silence = this.#silentLooks++ * SUPERVISE_INTERVAL_MS;
    const ready = this.#client.isReady;
    if (ready ? this.#pending > 0 && silence >= STALL_MS : silence >= HANDSHAKE_MS) this.#reopen();
    else if (ready && now - this.#checkedAt > HEALTH_CHECK_INTERVAL_MS) this.#checkHealth();
  }

  /** A server that hangs never closes its connections, and the library does not notice. */
  #reopen(): void {
    const old = this.#client;
    this.#options.health.unreachable(new Error("Redis does not answer"));
    this.#attempted.resolve();
    this.#client = this.#connect();
    old.destroy();
  }
}

/**
 * Disconnects once pending commands have ended. A server that hangs would never let them end, and the promise of the library
 * never settles if the connection is reset meanwhile.
 */
async function release(client: RedisClient): Promise<void> {
  if (client.isReady) await withTimeout(STALL_MS, client.close()).catch(() => {});
  client.destroy();
}

/** The only options on which the class of a client depends. */
const PROTOCOL = { RESP: 2 } as const;
const IP_ADDRESS = /^[\d.]+$|:/;

/** The outage tests in `tests/whole/faults` depend on each of these settings. */
function createRedisClient(library: RedisLibrary, address: RedisAddress) {
  const { host, port, tls, username, password, database } = address;
  const socket = { host, port, connectTimeout: CONNECT_MS, reconnectStrategy: backoff };
  const options = {
    // The server name of TLS must be a host name, not an IP address (RFC 6066, section 3).
    socket: tls ? { ...socket, tls, ...(!IP_ADDRESS.test(host) && { servername: host }) } : socket,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    database,
    ...PROTOCOL,
    maintNotifications: "disabled" as const,
    disableOfflineQueue: true,
    commandOptions: {
      // Callers have their own deadlines; the library would set a timer of 5 s for every command.
      timeout: 0,
      // The library rounds numbers close to 2^53.
      typeMapping: { [library.RESP_TYPES.NUMBER]: String },
    },
  };
  // createClient() would make a class of all commands again for each address, and keep it as long as the connection.
  return library.RedisClient.factory(PROTOCOL)(options);
}

/** Milliseconds before the next try: 50, doubled up to 1,000, with a fifth of jitter. */
export function backoff(retries: number): number {
  return Math.min(50 * 2 ** retries, 1000) * (1 + Math.random() / 5);
}
