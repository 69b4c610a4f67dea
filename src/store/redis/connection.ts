import { RedisClient as Client, RESP_TYPES } from "@redis/client";
import type { RedisAddress } from "../setting.ts";
import { withTimeout } from "../../waiting.ts";
import type { StoreHealth } from "../store_health.ts";
import { type Command, isRefused, type Reply, replyOf, UNSENT } from "./reply.ts";

/** Timeout of TCP and TLS, in milliseconds. */
const CONNECT_MS = 1500;
/** Timeout from TCP to the end of the handshake, in milliseconds. */
const HANDSHAKE_MS = 2000;
/** Time without a reply after which a connection with commands in flight is replaced. */
export const STALL_MS = 1500;
/** Interval in which connections are checked for that, and opened again. */
export const LOOK_INTERVAL_MS = 250;
/** Interval in which a server is asked whether it answers and is a master, even without traffic. */
const CHECK_INTERVAL_MS = 1000;

/** The error of a server that hangs. */
const HUNG = new Error("Redis does not answer");

type RedisClient = ReturnType<typeof createRedisClient>;

export interface ConnectionOptions {
  address: RedisAddress;
  /** The health of the server, if it is one of the store. */
  health?: StoreHealth;
  /** True if the host name leads to another server after a failover. */
  followsName?: boolean;
  /** Called when it is connected, and when an attempt to connect has failed. */
  onChange?(): void;
}

/**
 * A connection to a Redis, opened again for as long as the process runs. It never sends a command
 * twice.
 *
 * A client of the library is used for one connection only, because `destroy` of a client that
 * reconnects leaves the timer of its next attempt behind. A server that hangs is found by counting
 * looks without a reply. The `socketTimeout` of the library starts again with each write, and it
 * also fires after this process was suspended, before the replies are read.
 */
export class RedisConnection {
  readonly #options: ConnectionOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #attempted = Promise.withResolvers<unknown>();
  /** Resolves when the first attempt to connect has ended, with its error if it failed. */
  readonly attempted: Promise<unknown> = this.#attempted.promise;
  /** The time by `performance.now()` since which it is connected. Infinity if it is not. */
  readySince = Infinity;
  #client: RedisClient | undefined;
  /** The client that is being connected, and takes the place of the other when it is. */
  #next: RedisClient | undefined;
  /** True if the server is a replica, so that the host name may lead to its master. */
  #isReplica = false;
  /** Number of commands in flight. */
  #pending = 0;
  /** Number of looks since the last reply. */
  #silentLooks = 0;
  #checkedAt = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#connect();
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS);
  }

  /** Sends commands as one pipeline. Resolves with their replies. */
  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const client = this.#client;
    if (client === undefined) return commands.map(() => UNSENT);
    if (this.#pending === 0) this.#silentLooks = 0;
    this.#pending += commands.length;
    const settled = await Promise.allSettled(
      commands.map((command) => client.sendCommand(command)),
    );
    this.#pending -= commands.length;
    this.#silentLooks = 0;
    const replies = settled.map(replyOf);
    this.#isReplica ||= replies.some((reply) => isRefused(reply, "replica"));
    return replies;
  }

  /** Disconnects. Gives commands in flight `grace` milliseconds to finish. */
  async close(grace = STALL_MS): Promise<void> {
    clearInterval(this.#timer);
    this.#next?.destroy();
    this.#next = undefined;
    const client = this.#client;
    this.#client = undefined;
    this.readySince = Infinity;
    if (client !== undefined) await release(client, grace);
  }

  #connect(): void {
    const client = createRedisClient(this.#options.address);
    this.#next = client;
    client.on("connect", () => {
      // The library forgets a socket that was still being opened when its client was destroyed.
      if (client !== this.#next) client.destroy();
    });
    client.on("ready", () => {
      if (client === this.#next) this.#use(client);
    });
    client.on("error", (error) => this.#fail(client, error));
    withTimeout(HANDSHAKE_MS, client.connect()).catch(() => this.#fail(client, HUNG));
  }

  #use(client: RedisClient): void {
    const old = this.#client;
    this.#client = client;
    this.#next = undefined;
    this.#isReplica = false;
    this.readySince = performance.now();
    // A replica answers reads until another server can. Its commands in flight still get their
    // replies.
    if (old !== undefined) release(old);
    this.#check();
    this.#options.onChange?.();
  }

  #fail(client: RedisClient, error: unknown): void {
    const wasStable = performance.now() - this.readySince > LOOK_INTERVAL_MS;
    if (client === this.#client) {
      this.#client = undefined;
      this.readySince = Infinity;
    } else if (client === this.#next) this.#next = undefined;
    else return;
    client.destroy();
    const { health, onChange } = this.#options;
    if (this.#client === undefined) {
      const reply = replyOf({ status: "rejected", reason: error });
      if (isRefused(reply, "login")) health?.loginRejected(error);
      else health?.unreachable(error);
    }
    this.#attempted.resolve(error);
    // Otherwise the next look connects.
    if (this.#client === undefined && this.#next === undefined && wasStable) this.#connect();
    onChange?.();
  }

  /** Looks for a server that hangs, which does not close its connections, and connects again. */
  #look(): void {
    const silence = this.#silentLooks++ * LOOK_INTERVAL_MS;
    const isOld = performance.now() - this.readySince >= CHECK_INTERVAL_MS;
    const isLeft = this.#options.followsName && this.#isReplica && isOld;
    if (this.#next === undefined && (this.#client === undefined || isLeft)) this.#connect();
    if (this.#client === undefined) return;
    if (this.#pending > 0 && silence >= STALL_MS) this.#fail(this.#client, HUNG);
    else if (performance.now() - this.#checkedAt >= CHECK_INTERVAL_MS) this.#check();
  }

  /**
   * Redis accepts connections before it has loaded its data, so only a reply to PING shows that it
   * is available.
   */
  async #check(): Promise<void> {
    this.#checkedAt = performance.now();
    const { health } = this.#options;
    const [ping = UNSENT, info] = await this.send([["PING"], ["INFO", "replication"]]);
    if (ping.kind === "lost" || ping === UNSENT) return;
    if (ping.kind === "done") health?.readable();
    const refusal = isRefused(ping, "missingLogin") ? ping.cause : undefined;
    if (refusal !== undefined) health?.loginRejected(refusal);
    this.#attempted.resolve(refusal);
    this.#isReplica = info?.kind === "done" && String(info.value).includes("role:slave");
  }
}

/**
 * Disconnects once the commands in flight have ended. A server that hangs would never let them end,
 * and the promise of the library never settles if the connection is reset.
 */
async function release(client: RedisClient, grace = STALL_MS): Promise<void> {
  if (grace > 0) await withTimeout(grace, client.close()).catch(() => {});
  client.destroy();
}

const IP_ADDRESS = /^[\d.]+$|:/;

/** The outage tests in `tests/faults` depend on each of these settings. */
function createRedisClient(address: RedisAddress) {
  const { host, port, tls, username, password, database } = address;
  const socket = { host, port, connectTimeout: CONNECT_MS, reconnectStrategy: false as const };
  const options = {
    // The server name of TLS must be a host name, not an IP address (RFC 6066, section 3).
    socket: tls ? { ...socket, tls, ...(!IP_ADDRESS.test(host) && { servername: host }) } : socket,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    database,
    RESP: 2 as const,
    maintNotifications: "disabled" as const,
    disableOfflineQueue: true,
    commandOptions: {
      // Callers have their own deadlines. The library would set a timer of 5 s for every command.
      timeout: 0,
      // The library rounds numbers close to 2^53.
      typeMapping: { [RESP_TYPES.NUMBER]: String },
    },
  };
  // createClient() would first make a class with a method for each of the 430 commands, which takes
  // 0.12 s of CPU time (`process.cpuUsage()` around it).
  return new Client(options);
}
