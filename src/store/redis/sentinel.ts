import { StartError } from "../../problem.ts";
import { NOOP_HEALTH } from "../store_health.ts";
import { RedisConnection } from "./connection.ts";
import {
  askForList,
  connectServers,
  type LinkOptions,
  nameOf,
  oneAtATime,
  RedisNode,
  singleLink,
  type StoreLink,
} from "./node.ts";

/**
 * Interval in which Sentinels are asked, in milliseconds. After a failover by hand, the old master
 * accepts hits for up to 8 s.
 */
const INTERVAL_MS = 500;

/**
 * Opens the master that Sentinels name. Resolves when it has connected or failed to. Rejects if no
 * Sentinel answers. Throws a {@linkcode StartError} if the Sentinels watch no master of this name.
 */
export async function openSentinels(options: LinkOptions): Promise<StoreLink> {
  const watch = new SentinelWatch(options);
  await connectServers(watch.sentinels, watch.refresh, () => watch.node ? [watch.node] : []);
  const { node } = watch;
  if (node !== undefined) return singleLink(() => watch.node ?? node, () => watch.close());
  await watch.close();
  throw watch.error ?? new Error("No Sentinel answers");
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
  readonly #options: LinkOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  /** The epoch of the failover that made the node the master. */
  #epoch = -1;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.sentinels = options.setting.addresses.map((address) =>
      new RedisConnection({
        address: { ...address, username: undefined, password: undefined, database: 0 },
        // One Sentinel of several may be unreachable without harm.
        health: NOOP_HEALTH,
      })
    );
    this.#timer = setInterval(this.refresh, INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.sentinels, this.node].map((connection) => connection?.close()));
  }

  async #ask(): Promise<void> {
    const askedAt = performance.now();
    const [{ username = "default", password }] = this.#options.setting.addresses;
    // Most Sentinels have no password of their own: they refuse AUTH with that of the Redis and
    // answer the rest.
    const login = password === undefined ? [] : [["AUTH", username, password]];
    const lists = await Promise.all(
      this.sentinels.map((sentinel) =>
        askForList((commands) => sentinel.send(commands), ...login, ["SENTINEL", "MASTERS"])
      ),
    );
    this.#useMaster(lists.flatMap((list) => watchedMasters(list ?? [])));
    const { node } = this;
    if (node === undefined) return;
    // Sentinels may name a Redis that is a replica for a moment longer. If this user may not run
    // ROLE, the answer of the Sentinels has to be enough.
    const [role = "master"] = await askForList(node.ask, ["ROLE"]) ?? [];
    if (role === "master") node.confirm(askedAt);
  }

  /** Uses the master named by the Sentinel that knows the latest failover. */
  #useMaster(watched: ReturnType<typeof watchedMasters>): void {
    const { setting: { addresses: [login], master }, replicas, health } = this.#options;
    const names = [...new Set(watched.map(({ name }) => name))].sort();
    const wanted = master ?? (names.length === 1 ? names[0] : undefined);
    if (names.length > 0 && !names.some((name) => name === wanted)) {
      this.error = new StartError(
        "STORE_URL must end in a slash and the name of the master that the Sentinels watch: " +
          names.join(", "),
      );
    }
    const [latest] = watched.filter(({ name, isReplaced }) => name === wanted && !isReplaced)
      .sort((one, other) => other.epoch - one.epoch);
    if (latest === undefined || latest.epoch < this.#epoch) return;
    const { host, port, epoch } = latest;
    this.#epoch = epoch;
    const old = this.node;
    if (old !== undefined && nameOf(old.address) === nameOf({ host, port })) return;
    const address = { ...login, host, port };
    this.node = new RedisNode({ address, replicas, health, onChange: this.refresh });
    // Replies of a master whose place another has taken are worth nothing.
    old?.close(0);
  }
}

/** Parses the reply to `SENTINEL MASTERS`. Each master is a list of names and values. */
function watchedMasters(reply: readonly unknown[]) {
  return reply.filter(Array.isArray).map((list: readonly unknown[]) => {
    const field = (name: string) => String(list[list.indexOf(name) + 1]);
    return {
      name: field("name"),
      host: field("ip"),
      port: Number(field("port")),
      // Increased with each failover.
      epoch: Number(field("config-epoch")),
      // The Sentinel that replaces a master still names it, but with the epoch of the new one.
      isReplaced: field("flags").includes("failover_in_progress"),
    };
  });
}
