import { StartError } from "../../problem.ts";
import type { RedisAddress } from "../../start/store_address.ts";
import { withTimeout } from "../../counter/store.ts";
import type { RedisConnection } from "./connection.ts";
import { ASK_MS, OPEN_MS, SENTINEL_INTERVAL_MS } from "./limits.ts";
import {
  type HostPort,
  nameOf,
  oneAtATime,
  type RedisNode,
  singleLink,
  type StoreLink,
  waitForAttempts,
} from "./node.ts";
import { isFailure, type Reply } from "./reply.ts";

export interface SentinelOptions {
  /** The Sentinels, with the login of the Redis. */
  addresses: readonly [RedisAddress, ...RedisAddress[]];
  /** The name that the Sentinels have for the Redis. May be undefined if they watch only one. */
  master: string | undefined;
  connect(address: RedisAddress, onChange: () => void): RedisNode;
  connectSentinel(address: RedisAddress): RedisConnection;
}

/**
 * Opens the master that Sentinels name. Resolves when it has connected or failed to. Rejects if no
 * Sentinel answers. Throws a {@linkcode StartError} if the Sentinels watch no master of this name.
 */
export async function openSentinels(options: SentinelOptions): Promise<StoreLink> {
  const watch = new SentinelWatch(options);
  const until = performance.now() + OPEN_MS;
  try {
    await waitForAttempts(watch.sentinels, until);
    await watch.refresh();
    const { node } = watch;
    if (node === undefined) throw watch.error ?? new Error("No Sentinel answers");
    await waitForAttempts([node], until);
    await watch.refresh();
  } catch (error) {
    await watch.close();
    throw error;
  }
  const link = singleLink({ node: () => watch.node, close: () => watch.close() });
  return {
    ...link,
    async send(commands) {
      const replies = await link.send(commands);
      if (replies.some(isFailure)) watch.refresh();
      return replies;
    },
  };
}

/** The Redis that Sentinels name as the master, now and after each failover. */
class SentinelWatch {
  readonly sentinels: readonly RedisConnection[];
  /** Asks all Sentinels for the master. */
  readonly refresh: () => Promise<void> = oneAtATime(() => this.#ask());
  /** The master that the Sentinels named last. */
  node: RedisNode | undefined;
  /** The reason for which the Sentinels name no master. */
  error: StartError | undefined;
  readonly #options: SentinelOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  /** The epoch of the failover that made the node the master. */
  #epoch = -1;

  constructor(options: SentinelOptions) {
    this.#options = options;
    this.sentinels = options.addresses.map((address) => {
      const own = { username: undefined, password: undefined, database: 0 };
      return options.connectSentinel({ ...address, ...own });
    });
    this.#timer = setInterval(this.refresh, SENTINEL_INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.sentinels, this.node].map((connection) => connection?.close()));
  }

  async #ask(): Promise<void> {
    const askedAt = performance.now();
    const answers = await Promise.all(this.sentinels.map((sentinel) => this.#query(sentinel)));
    this.#useMaster(answers.flatMap(watchedMasters));
    const { node } = this;
    if (node === undefined) return;
    // Sentinels may name a Redis that is a replica for a moment longer.
    const [reply] = await withTimeout(ASK_MS, node.ask([["ROLE"]])).catch(() => []);
    // If this user may not run ROLE, the answer of the Sentinels has to be enough.
    const role = reply?.kind === "done" && Array.isArray(reply.value) ? reply.value[0] : "master";
    if (role === "master") node.confirm(askedAt);
  }

  /**
   * Most Sentinels have no password of their own: they refuse AUTH with that of the Redis and
   * answer the rest.
   */
  async #query(sentinel: RedisConnection): Promise<Reply | undefined> {
    const [{ username = "default", password }] = this.#options.addresses;
    const login = password === undefined ? [] : [["AUTH", username, password]];
    const asked = sentinel.send([...login, ["SENTINEL", "MASTERS"]]);
    return (await withTimeout(ASK_MS, asked).catch(() => [])).at(-1);
  }

  /** Uses the master named by the Sentinel that knows the latest failover. */
  #useMaster(watched: readonly WatchedMaster[]): void {
    const { master, addresses: [login], connect } = this.#options;
    const names = [...new Set(watched.map(({ name }) => name))].sort();
    const wanted = master ?? (names.length === 1 ? names[0] : undefined);
    const [latest] = watched.filter(({ name }) => name === wanted)
      .sort((one, other) => other.epoch - one.epoch);
    if (latest === undefined) {
      if (names.length > 0) {
        this.error = new StartError(
          "STORE_URL must end in a slash and the name of the master that the Sentinels watch: " +
            names.join(", "),
        );
      }
      return;
    }
    const { host, port, epoch } = latest;
    if (epoch < this.#epoch) return;
    this.#epoch = epoch;
    const old = this.node;
    if (old !== undefined && nameOf(old.address) === nameOf({ host, port })) return;
    this.node = connect({ ...login, host, port }, () => this.refresh());
    old?.retire();
  }
}

/** A Redis that a Sentinel watches, as that Sentinel last saw it. */
interface WatchedMaster extends HostPort {
  readonly name: string;
  /** Increased with each failover. */
  readonly epoch: number;
}

/** Parses the reply to `SENTINEL MASTERS`. Each master is a list of names and values. */
function watchedMasters(reply: Reply | undefined): readonly WatchedMaster[] {
  if (reply?.kind !== "done" || !Array.isArray(reply.value)) return [];
  return reply.value.filter(Array.isArray).map((list: readonly unknown[]) => {
    const field = (name: string) => String(list[list.indexOf(name) + 1]);
    return {
      name: field("name"),
      host: field("ip"),
      port: Number(field("port")),
      epoch: Number(field("config-epoch")),
    };
  });
}
