import { ok } from "node:assert/strict";
import { startLocalService } from "../support/local_service.ts";
import { opensslAvailable } from "../support/certificate.ts";
import { moveSlots, waitForCluster } from "../support/cluster_steps.ts";
import { type RedisCluster, startCluster } from "../support/redis_cluster.ts";
import { isInSync, type RedisSentinels, startSentinels } from "../support/redis_sentinel.ts";
import { needsRedis, type RedisServer } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { startService } from "../support/service.ts";

import { FAR_AWAY_MS, fullNumbers, timeLimit } from "../support/time_limit.ts";
import { times } from "../support/times.ts";
import { waitFor } from "../support/wait_for.ts";
import { hitOnce, pause, startCallers } from "./load.ts";
import { waitForHits } from "./recovery.ts";
import { storedInRedis } from "./stored.ts";

/** A store of several servers. */
type Servers = AsyncDisposable & { readonly url: string };

/** A fault of a store of several servers. */
interface Fault<Store> {
  readonly name: string;
  /** Number of replicas of each master, and how many of them must have a hit. */
  readonly replicas: number;
  readonly awaited: number;
  /** True if the fault is short enough to run without the full numbers. */
  readonly quick?: boolean;
  /** Happens while hits come in; returns when all is well again. */
  happen(store: Store): Promise<void>;
}

/** Tests that hits are counted through faults; `stored` returns every counter afterwards. */
function testFaults<Store extends Servers>(
  where: string,
  faults: readonly Fault<Store>[],
  start: (options: { replicas: number; failsOver: boolean }) => Promise<Store>,
  stored: (store: Store) => Promise<ReadonlyMap<string, number>>,
): void {
  for (const { name, replicas, awaited, quick = false, happen } of faults) {
    Deno.test({
      name:
        `${where}, ${name} loses no hit and counts none twice (STORE_REPLICAS=${awaited} of ${replicas})`,
      ignore: needsRedis.ignore || !(quick || fullNumbers),
      async fn() {
        await using store = await start({ replicas, failsOver: true });
        await using service = await startLocalService({
          SECRET_TOKEN: SECRET,
          STORE_URL: store.url,
          STORE_REPLICAS: String(awaited),
        });
        await using load = startCallers({ service, callers: 64, ids: 60 });
        const { ledger } = load;
        await waitForHits(ledger, 500);
        await happen(store);
        await waitForHits(ledger, 500);
        await pause(MORE);
        await load.stop();
        ledger.checkOutcomes(200, 503, 504);
        ok(ledger.slowest <= timeLimit(3000), `an answer took ${ledger.slowest} ms`);
        ledger.check(await stored(store));
      },
    });
  }
}

/** Time for which a load goes on after the recovery, in milliseconds. */
const MORE = times(300, 1500);

/** Stops a server for 6 s, which is longer than others wait for it. */
async function hang(server: Pick<RedisServer, "kill">): Promise<void> {
  await server.kill("SIGSTOP");
  try {
    await pause(6000);
  } finally {
    await server.kill("SIGCONT");
  }
}

/** A counter that is hit; the node that serves it is the one that fails. */
const KEY = "hits:c1";

async function killed(cluster: RedisCluster): Promise<void> {
  const node = await cluster.masterOf(KEY);
  await node.kill("SIGKILL");
  await waitForCluster(cluster.nodes.filter((other) => other !== node));
  await node.start();
  await waitForCluster(cluster.nodes);
}

async function hung(cluster: RedisCluster): Promise<void> {
  await hang(await cluster.masterOf(KEY));
  await waitForCluster(cluster.nodes);
}

/**
 * One after the other: moves that run at once make nodes claim slots of each other, and lose keys
 * without anybody's hits.
 */
async function resharded({ nodes }: RedisCluster): Promise<void> {
  const count = times(100, 1500);
  for (const [index, first] of [0, 6000, 12_000].entries()) {
    const [from, to] = [nodes[index], nodes[(index + 1) % 3]];
    if (!from || !to) throw new Error("Move slots: three masters are needed");
    await moveSlots(Array.from({ length: count }, (_, slot) => first + slot), { from, to });
    await waitForCluster(nodes);
  }
}

async function promoted(cluster: RedisCluster): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const node = await cluster.masterOf(KEY);
    const heir = cluster.node((cluster.nodes.indexOf(node) + 3) % 6);
    const isMaster = async () => await cluster.masterOf(KEY) === heir || undefined;
    // A busy master may let the time for it pass.
    do await heir.command("CLUSTER", "FAILOVER"); while (
      !await waitFor("the promotion", isMaster, { timeout: 6000 }).catch(() => false)
    );
    await waitForCluster(cluster.nodes);
  }
}

/** A fault for each pair of replicas of a master, and of those that must have a hit. */
function withReplicas<Store>(
  name: string,
  happen: Fault<Store>["happen"],
  ...pairs: readonly [replicas: number, awaited: number, quick?: boolean][]
): Fault<Store>[] {
  return pairs.map(([replicas, awaited, quick = false]) => ({
    ...{ name, replicas, awaited, quick, happen },
  }));
}

const CLUSTER_FAULTS = [
  ...withReplicas("kill -9 of a master and failover", killed, [1, 0], [1, 1, true], [2, 2]),
  ...withReplicas("SIGSTOP of a master for 6 s", hung, [1, 0], [1, 1]),
  ...withReplicas("4,500 slots moved", resharded, [1, 0], [1, 1]),
  ...withReplicas("a replica promoted by hand, 3 times", promoted, [1, 0], [1, 1]),
];

testFaults("in a cluster", CLUSTER_FAULTS, startCluster, (cluster) => cluster.stored());

async function masterKilled(sentinels: RedisSentinels): Promise<void> {
  const old = await sentinels.master();
  await old.kill("SIGKILL");
  await failedOver(sentinels, old.port);
  // It comes back as a master, and the Sentinels take seconds to make it a replica.
  await old.start();
  await isReplica(sentinels, old.port);
}

async function masterHung(sentinels: RedisSentinels): Promise<void> {
  const old = await sentinels.master();
  await hang(old);
  await isReplica(sentinels, old.port);
}

async function replicaPromoted(sentinels: RedisSentinels): Promise<void> {
  const old = await sentinels.master();
  await sentinels.sentinels[0]?.command("SENTINEL", "FAILOVER", "mymaster");
  await failedOver(sentinels, old.port);
  await isReplica(sentinels, old.port);
}

async function failedOver(sentinels: RedisSentinels, old: number): Promise<void> {
  await waitFor(
    "the failover",
    async () => (await sentinels.master()).port !== old || undefined,
    { interval: 20 },
  );
}

async function isReplica(sentinels: RedisSentinels, port: number): Promise<void> {
  const server = sentinels.watched.get("mymaster")?.find((server) => server.port === port);
  if (server !== undefined) await isInSync(server);
}

const SENTINEL_FAULTS = [
  ...withReplicas("kill -9 of the master and failover", masterKilled, [1, 0], [1, 1], [2, 2]),
  ...withReplicas("SIGSTOP of the master for 6 s", masterHung, [1, 0], [1, 1]),
  ...withReplicas("a replica promoted by hand", replicaPromoted, [1, 1], [2, 2]),
];

testFaults(
  "with Sentinel",
  SENTINEL_FAULTS,
  startSentinels,
  async (sentinels) => await storedInRedis(await sentinels.master()),
);

Deno.test({
  name: "with Sentinel, TLS and a password are served",
  ignore: needsRedis.ignore || !opensslAvailable,
  async fn() {
    await using sentinels = await startSentinels({ tls: true, password: "p@ss" });
    await using service = await startService({
      env: {
        SECRET_TOKEN: SECRET,
        STORE_URL: sentinels.url.replace("://", "://:p%40ss@"),
        DENO_CERT: sentinels.server(0).caCertificate ?? "",
      },
    });
    await waitFor("a hit", async () => {
      const { answer } = await hitOnce({ service });
      return answer?.status === 200 || undefined;
    }, { timeout: FAR_AWAY_MS });
    ok(Number(await sentinels.server(0).command("GET", "hits:home")) > 0);
  },
});
