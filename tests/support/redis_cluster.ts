import { joinCluster, ownSlots, waitForCluster } from "./cluster_steps.ts";
import { makeCertificate } from "./certificate.ts";
import { reservePort } from "./reserved_port.ts";
import { type RedisOptions, type RedisServer, startRedis } from "./redis_server.ts";
import { startProxy, type TcpProxy } from "./tcp_proxy.ts";
import { tempDir } from "./temp_dir.ts";

/** Options of a cluster and of its nodes. */
export type ClusterOptions = Pick<RedisOptions, "args" | "password"> & {
  /** Number of replicas of each master; 1 by default. */
  replicas?: number;
  /** Puts a proxy before each node, which the nodes announce in their place. */
  proxied?: boolean;
  /** Listens with TLS only; `caCertificate` of each node is then the authority to trust. */
  tls?: boolean;
  /** Announces the nodes by the name `localhost` instead of their address. */
  hostnames?: boolean;
  /**
   * True if a replica takes the place of a master that is silent for a second. Otherwise none does,
   * because a busy machine may silence a master for that long.
   */
  failsOver?: boolean;
};

const MASTERS = 3;

/**
 * Starts a Redis Cluster of three masters and their replicas on 127.0.0.1 and waits until it
 * serves.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const { replicas = 1, password, tls = false, proxied = false } = options;
  const folder = await tempDir();
  const certificate = tls ? await makeCertificate(folder.path) : undefined;
  const busPorts = Array.from({ length: MASTERS * (1 + replicas) }, reservePort);
  const ports = busPorts.map(reservePort);
  const proxies = proxied ? ports.map((port) => startProxy({ port })) : [];
  const started = await Promise.allSettled(ports.map((port, index) =>
    startRedis({
      port,
      args: [
        ...["--cluster-port", String(busPorts[index])],
        ...proxied ? ["--cluster-announce-port", String(proxies[index]?.port)] : [],
        ...nodeArguments(options),
      ],
      ...(password !== undefined && { password }),
      ...(certificate !== undefined && { tls: certificate }),
    })
  ));
  const nodes = started.flatMap((start) => start.status === "fulfilled" ? [start.value] : []);
  const cluster = new RedisCluster(nodes, proxies, folder);
  try {
    for (const start of started) if (start.status === "rejected") throw start.reason;
    await joinCluster(nodes, busPorts);
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * A Redis Cluster of a test; its processes are killed and their folders removed when it is disposed
 * of.
 */
export class RedisCluster {
  /**
   * The masters that it started with, then the replicas: the one at `i` follows that at `i % 3`.
   */
  readonly nodes: readonly RedisServer[];
  /** The proxies before them, where it has some. */
  readonly proxies: readonly TcpProxy[];
  readonly #folder: AsyncDisposable;

  constructor(
    nodes: readonly RedisServer[],
    proxies: readonly TcpProxy[],
    folder: AsyncDisposable,
  ) {
    this.nodes = nodes;
    this.proxies = proxies;
    this.#folder = folder;
  }

  /** The address of its first node for `STORE_URL`. */
  get url(): string {
    return this.node(0).url;
  }

  node(index: number): RedisServer {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`Use a node of the cluster: there is no ${index}`);
    return node;
  }

  /** The proxy before a node. */
  proxyOf(node: RedisServer): TcpProxy {
    const proxy = this.proxies[this.nodes.indexOf(node)];
    if (proxy === undefined) throw new Error("Use a proxy of the cluster: it has none");
    return proxy;
  }

  /** The node that serves a key right now, as those that run say of themselves. */
  async masterOf(key: string): Promise<RedisServer> {
    const running = this.nodes.filter((node) => !node.stopped);
    const slot = Number(await (running[0] ?? this.node(0)).command("CLUSTER", "KEYSLOT", key));
    for (const node of running) {
      const slots = await ownSlots(node);
      if (slots.some(([first, last]) => first <= slot && slot <= last)) return node;
    }
    throw new Error(`Find the master of ${key}: nobody serves slot ${slot}`);
  }

  /** Every counter under `hits:` that the masters hold, once they all serve again. */
  async stored(): Promise<Map<string, number>> {
    const running = this.nodes.filter((node) => !node.stopped);
    await waitForCluster(running);
    const stored = new Map<string, number>();
    for (const node of running) {
      if ((await ownSlots(node)).length === 0) continue;
      const keys = await node.command("KEYS", "hits:*");
      if (!Array.isArray(keys)) throw new Error("Read the keys of a node: no list came");
      const values = await node.commands(keys.map((key) => ["GET", String(key)]));
      keys.forEach((key, index) =>
        stored.set(String(key).slice("hits:".length), Number(values[index]))
      );
    }
    return stored;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.nodes, ...this.proxies].map((part) => part[Symbol.asyncDispose]()));
    await this.#folder[Symbol.asyncDispose]();
  }
}

function nodeArguments(options: ClusterOptions): string[] {
  const { args = [], password, tls, hostnames, failsOver = false } = options;
  return [
    ...["--cluster-enabled", "yes"],
    ...["--cluster-node-timeout", failsOver ? "1000" : "15000"],
    ...["--cluster-allow-replica-migration", "no"],
    // Waiting for more replicas would hold up the first one for 5 s.
    ...["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"],
    ...password === undefined ? [] : ["--masterauth", password],
    ...tls ? ["--tls-cluster", "yes", "--tls-replication", "yes"] : [],
    ...hostnames
      ? ["--cluster-announce-hostname", "localhost", "--cluster-preferred-endpoint-type"]
        .concat("hostname")
      : [],
    ...args,
  ];
}
