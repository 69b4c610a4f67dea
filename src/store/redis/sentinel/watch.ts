import type { RedisAddress } from "../../../start/store_address.ts";
import { StartError } from "../../../problem.ts";
import { withTimeout } from "../../../counter/store.ts";
import type { StoreHealth } from "../../store_health.ts";
import type { RedisConnection } from "../connection/client.ts";
import {
  connectionsAttempted,
  nameOf,
  type RedisNode,
  singleLink,
  type StoreLink,
} from "../connection/node.ts";
import { Poller } from "../connection/poller.ts";
import { type HostPort, isReplicaRefusal, type Reply } from "../connection/reply.ts";
import { ASK_MS, OPEN_MS, SENTINEL_POLL_INTERVAL_MS } from "../limits.ts";

export interface WatchOptions {
  /** The Sentinels to ask at first, with the login of the Redis. */
  seeds: readonly RedisAddress[];
  /** The name of the Redis at the Sentinels; may be undefined if they watch only one. */
  master: string | undefined;
  connect(address: RedisAddress): RedisNode;
  connectSentinel(address: RedisAddress): RedisConnection;
  /** Called if what the Sentinels watch cannot be used at all. */
  onUnusable(error: StartError): void;
}

/** Opens the master that Sentinels name; resolves when it is connected, or cannot be for now. `health` is that of the master. */
export async function openSentinels(
  { health, ...options }: WatchOptions & { health: StoreHealth },
): Promise<StoreLink> {
  const watch = new SentinelWatch(options);
  const until = performance.now() + OPEN_MS;
  await withTimeout(OPEN_MS, watch.attempted).catch(() => {});
  await watch.poller.refresh();
  if (watch.node !== undefined) await connectionsAttempted([watch.node], until);
  await watch.poller.refreshAgain();
  const link = singleLink({ health, node: () => watch.node, close: () => watch.close() });
  return {
    ...link,
    async send(commands) {
      const replies = await link.send(commands);
      if (replies.some(isReplicaRefusal)) watch.poller.refreshSoon();
      return replies;
    },
  };
}

/** The Redis that Sentinels name as the master, now and after each failover. */
class SentinelWatch {
  /** Asks all Sentinels for the master. */
  readonly poller: Poller = new Poller({
    intervalMs: SENTINEL_POLL_INTERVAL_MS,
    poll: () => this.#poll(),
  });
  readonly #options: WatchOptions;
  readonly #sentinels = new Map<string, RedisConnection>();
  #node: RedisNode | undefined;
  /** That of the failover which made the node the master. */
  #epoch = -1;

  constructor(options: WatchOptions) {
    this.#options = options;
    for (const seed of options.seeds) this.#addSentinel(seed);
  }

  /** The master that the Sentinels named last; undefined before the first answer. */
  get node(): RedisNode | undefined {
    return this.#node;
  }

  /** Resolves when the first attempts to connect to the Sentinels have succeeded or failed. */
  get attempted(): Promise<unknown> {
    return Promise.all(this.#sentinels.values().map((sentinel) => sentinel.attempted));
  }

  async close(): Promise<void> {
    await this.poller.stop();
    await Promise.all([...this.#sentinels.values()].map((sentinel) => sentinel.close()));
    await this.#node?.close();
  }

  async #poll(): Promise<boolean> {
    const askedAt = performance.now();
    const answers = await Promise.all(
      this.#sentinels.values().map((sentinel) => this.#query(sentinel)),
    );
    for (const [, others] of answers) {
      otherSentinels(others).forEach((address) => this.#addSentinel(address));
    }
    const latest = this.#latest(answers.flatMap(([masters]) => watchedMasters(masters) ?? []));
    if (latest !== undefined) this.#useMaster(latest);
    await this.#confirm(askedAt);
    return this.#node?.usable ?? false;
  }

  /** Most Sentinels have no password of their own: they refuse AUTH with that of the Redis and answer the rest. */
  async #query(sentinel: RedisConnection): Promise<readonly (Reply | undefined)[]> {
    const [{ username = "default", password } = {}] = this.#options.seeds;
    const login = password === undefined ? [] : [["AUTH", username, password]];
    const name = this.#options.master;
    const commands = [["SENTINEL", "MASTERS"], ["SENTINEL", "SENTINELS", name ?? ""]];
    const asked = sentinel.send([...login, ...commands]);
    const replies = await withTimeout(ASK_MS, asked).catch(() => []);
    return replies.slice(login.length);
  }

  /** The master named by the Sentinel that knows the latest failover. */
  #latest(watched: readonly WatchedMaster[]): WatchedMaster | undefined {
    const names = [...new Set(watched.map(({ name }) => name))];
    const wanted = this.#options.master ?? (names.length === 1 ? names[0] : undefined);
    const [latest] = watched.filter(({ name }) => name === wanted)
      .sort((one, other) => other.epoch - one.epoch);
    if (latest === undefined && names.length > 0 && this.#node === undefined) {
      const list = names.sort().join(", ");
      this.#options.onUnusable(
        new StartError(
          `STORE_URL must end in a slash and the name of the master that the Sentinels watch: ${list}`,
        ),
      );
    }
    return latest;
  }

  #useMaster({ host, port, epoch }: WatchedMaster): void {
    const old = this.#node;
    if (epoch < this.#epoch) return;
    this.#epoch = epoch;
    if (old !== undefined && nameOf(old.address) === nameOf({ host, port })) return;
    this.#node = this.#options.connect(this.#withLogin({ host, port }));
    old?.retire();
  }

  /** The Redis must say itself that it is a master: Sentinels may name one that is a replica for a moment longer. */
  async #confirm(askedAt: number): Promise<void> {
    const node = this.#node;
    if (node === undefined) return;
    const [reply] = await withTimeout(ASK_MS, node.ask([["ROLE"]])).catch(() => []);
    // A user who may not run ROLE gets an error: then what the Sentinels say has to be enough.
    const role = reply?.kind === "done" && Array.isArray(reply.value) ? reply.value[0] : "master";
    if (role === "master") node.confirm(askedAt);
  }

  #addSentinel(at: HostPort): void {
    const name = nameOf(at);
    if (this.#sentinels.has(name)) return;
    const address = {
      ...this.#withLogin(at),
      username: undefined,
      password: undefined,
      database: 0,
    };
    this.#sentinels.set(name, this.#options.connectSentinel(address));
  }

  /** An address with the login of the setting. */
  #withLogin(at: HostPort): RedisAddress {
    const [seed] = this.#options.seeds;
    if (seed === undefined) throw new Error("Connect to a Sentinel: it has no address");
    return { ...seed, host: at.host, port: at.port };
  }
}

/** A Redis that a Sentinel watches, as that Sentinel last saw it. */
interface WatchedMaster extends HostPort {
  readonly name: string;
  /** Increased with each failover. */
  readonly epoch: number;
}

/** Parses the reply to `SENTINEL MASTERS`; undefined if it is none. */
function watchedMasters(reply: Reply | undefined): readonly WatchedMaster[] | undefined {
  return recordsOf(reply)?.map((record) => ({
    name: record.get("name") ?? "",
    ...addressOf(record),
    epoch: Number(record.get("config-epoch")),
  }));
}

/** Parses the reply to `SENTINEL SENTINELS`: the addresses of the others. */
function otherSentinels(reply: Reply | undefined): readonly HostPort[] {
  return recordsOf(reply)?.map(addressOf) ?? [];
}

function addressOf(record: ReadonlyMap<string, string>): HostPort {
  return { host: record.get("ip") ?? "", port: Number(record.get("port")) };
}

function recordsOf(reply: Reply | undefined): ReadonlyMap<string, string>[] | undefined {
  if (reply?.kind !== "done" || !Array.isArray(reply.value)) return undefined;
  return reply.value.filter(Array.isArray).map(recordOf);
}

/** A record is a list that alternates names and values. */
function recordOf(list: readonly unknown[]): ReadonlyMap<string, string> {
  const record = new Map<string, string>();
  for (let at = 0; at + 1 < list.length; at += 2) {
    record.set(String(list[at]), String(list[at + 1]));
  }
  return record;
}
