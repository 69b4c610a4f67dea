import { join } from "node:path";
import { makeCertificate } from "./certificate.ts";
import { reservePort } from "./reserved_port.ts";
import { type RedisOptions, type RedisServer, startRedis } from "./redis_server.ts";
import { tempDir } from "./temp_dir.ts";
import { waitFor } from "./wait_for.ts";

/** Options of the Sentinels and of the Redis that they monitor. */
export type SentinelsOptions = Pick<RedisOptions, "args" | "password"> & {
  /** Names of the monitored masters; `mymaster` by default. */
  names?: readonly string[];
  /** Number of replicas of each master; 1 by default. */
  replicas?: number;
  /** The Sentinels ask for the password too. */
  guarded?: boolean;
  /** Everything listens with TLS only. */
  tls?: boolean;
  /** True if a master that is silent for a second is replaced, as in a cluster. */
  failsOver?: boolean;
};

/** Starts three Sentinels and what they watch on 127.0.0.1, and waits until they know all of it. */
export async function startSentinels(options: SentinelsOptions = {}): Promise<RedisSentinels> {
  const { names = ["mymaster"], replicas = 1, password, guarded = false, tls = false } = options;
  const folder = await tempDir();
  const watched = new Map<string, RedisServer[]>();
  const room = new RedisSentinels(watched, folder);
  try {
    const certificate = tls ? await makeCertificate(folder.path) : undefined;
    const secured = certificate === undefined ? {} : { tls: certificate };
    const common = { ...secured, ...(password !== undefined && { password }) };
    for (const name of names) {
      const group: RedisServer[] = [];
      watched.set(name, group);
      for (let index = 0; index <= replicas; index++) {
        const master = group[0];
        const follows = master && ["--replicaof", "127.0.0.1", String(master.port)];
        const args = [...redisArguments(options), ...follows ?? [], ...options.args ?? []];
        group.push(await startRedis({ ...common, args, port: reservePort() }));
      }
    }
    // Sentinels would also promote a replica that has never had the data of its master.
    await Promise.all(watched.values().map(replicate));
    await room.startSentinels(sentinelLines(watched, options), guarded ? common : secured);
    return room;
  } catch (error) {
    await room[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Waits until every replica has confirmed a write. One that has the data of its master gets the
 * writes since then only after its first confirmation, up to a second later, and would lose them if
 * the master failed before.
 */
async function replicate([master, ...replicas]: readonly RedisServer[]): Promise<void> {
  // First, because a master that has never had a replica counts no writes, so that any replica
  // satisfies WAIT.
  await Promise.all(replicas.map(isInSync));
  await waitFor("the replicas to confirm a write", async () => {
    const [, , confirmed] = await master?.commands([
      ["SET", "probe", ""],
      ["DEL", "probe"],
      ["WAIT", String(replicas.length), "1000"],
    ]) ?? [];
    return Number(confirmed) === replicas.length || undefined;
  }, { interval: 20 });
}

/** Waits until a server follows its master and has all of its data. */
export async function isInSync(replica: RedisServer): Promise<void> {
  await waitFor("the replica to follow", async () => {
    // A server that becomes a replica closes its connections.
    const info = await replica.command("INFO", "replication").catch(() => "");
    return /role:slave[^]*master_link_status:up/.test(String(info)) || undefined;
  }, { interval: 20 });
}

/** Sentinels of a test and what they watch; all of it is killed when disposed of. */
export class RedisSentinels {
  readonly sentinels: RedisServer[] = [];
  /** The servers of each name; the one that began as the master is the first. */
  readonly watched: ReadonlyMap<string, readonly RedisServer[]>;
  readonly #folder: { path: string } & AsyncDisposable;

  constructor(
    watched: ReadonlyMap<string, readonly RedisServer[]>,
    folder: { path: string } & AsyncDisposable,
  ) {
    this.watched = watched;
    this.#folder = folder;
  }

  /** The address of all Sentinels for `STORE_URL`, up to the name. */
  get url(): string {
    const [first] = this.sentinels;
    const scheme = first?.caCertificate === undefined ? "redis" : "rediss";
    const host = first?.caCertificate === undefined ? "127.0.0.1" : "localhost";
    return `${scheme}+sentinel://${this.sentinels.map(({ port }) => `${host}:${port}`).join(",")}`;
  }

  /** The server at a place of the first name. */
  server(index: number): RedisServer {
    const server = this.watched.values().next().value?.[index];
    if (server === undefined) throw new Error(`Use a Redis of the Sentinels: there is no ${index}`);
    return server;
  }

  /** The master of a name as the Sentinels that run agree on it. */
  async master(name = "mymaster"): Promise<RedisServer> {
    return await waitFor("the Sentinels to agree", async () => {
      const told = await Promise.all(
        this.sentinels.filter(({ stopped }) => !stopped).map(async (sentinel) =>
          String(await sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name))
        ),
      );
      const [first] = new Set(told);
      const port = Number(first?.split(",")[1]);
      const server = this.watched.get(name)?.find((server) => server.port === port);
      return new Set(told).size === 1 ? server : undefined;
    }, { interval: 20 });
  }

  /**
   * Starts the Sentinels, each with these lines of settings; the first line of each names those
   * that it is not.
   */
  async startSentinels(
    lines: (index: number, ports: readonly number[]) => string[],
    common: Pick<RedisOptions, "tls" | "password"> = {},
  ): Promise<void> {
    const ports = [reservePort(), reservePort(), reservePort()];
    for (const [index, port] of ports.entries()) {
      const config = join(this.#folder.path, `sentinel-${index}.conf`);
      await Deno.writeTextFile(config, lines(index, ports).join("\n"));
      const args = ["--sentinel"];
      this.sentinels.push(
        await startRedis({ ...common, config, args, port, until: "listening" }),
      );
    }
    await Promise.all(this.sentinels.map((sentinel) =>
      waitFor("the Sentinels", async () => {
        const info = String(await sentinel.command("INFO", "sentinel"));
        const known = info.match(/status=ok,address=\S+,slaves=[1-9]\d*,sentinels=3/g)?.length;
        return known === this.watched.size || undefined;
      }, { interval: 20 })
    ));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const servers = [...this.sentinels, ...[...this.watched.values()].flat()];
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    await this.#folder[Symbol.asyncDispose]();
  }
}

function redisArguments({ password, tls }: SentinelsOptions): string[] {
  return [
    ...["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"],
    ...password === undefined ? [] : ["--masterauth", password],
    ...tls ? ["--tls-replication", "yes"] : [],
  ];
}

/**
 * Returns settings that name the replicas and the other Sentinels, which a Sentinel would take
 * seconds to discover.
 */
function sentinelLines(
  watched: ReadonlyMap<string, readonly RedisServer[]>,
  { password, guarded, tls, failsOver = false }: SentinelsOptions,
): (index: number, ports: readonly number[]) => string[] {
  const idOf = (index: number) => String(index + 1).repeat(40);
  return (index, ports) => [
    `sentinel myid ${idOf(index)}`,
    ...tls ? ["tls-replication yes"] : [],
    ...guarded ? [`sentinel sentinel-pass ${password}`] : [],
    ...[...watched].flatMap(([name, [master, ...replicas]]) => [
      `sentinel monitor ${name} 127.0.0.1 ${master?.port} 2`,
      `sentinel down-after-milliseconds ${name} ${failsOver ? 1000 : 15_000}`,
      `sentinel failover-timeout ${name} 3000`,
      ...password === undefined ? [] : [`sentinel auth-pass ${name} ${password}`],
      ...replicas.map(({ port }) => `sentinel known-replica ${name} 127.0.0.1 ${port}`),
      ...ports.flatMap((port, other) =>
        other === index ? [] : [`sentinel known-sentinel ${name} 127.0.0.1 ${port} ${idOf(other)}`]
      ),
    ]),
  ];
}
