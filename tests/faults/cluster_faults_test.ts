import { moveSlots, waitForCluster } from "../support/cluster_steps.ts";
import { type RedisCluster, startCluster } from "../support/redis_cluster.ts";
import { waitFor } from "../support/wait_for.ts";
import { times } from "../support/times.ts";
import { type Fault, hang, testFaults } from "./withstand.ts";

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

const FAULTS: Fault<RedisCluster>[] = [
  { name: "kill -9 of a master and failover", replicas: 1, awaited: 0, happen: killed },
  {
    name: "kill -9 of a master and failover",
    replicas: 1,
    awaited: 1,
    quick: true,
    happen: killed,
  },
  { name: "kill -9 of a master and failover", replicas: 2, awaited: 2, happen: killed },
  { name: "SIGSTOP of a master for 6 s", replicas: 1, awaited: 0, happen: hung },
  { name: "SIGSTOP of a master for 6 s", replicas: 1, awaited: 1, happen: hung },
  { name: "4,500 slots moved", replicas: 1, awaited: 0, happen: resharded },
  { name: "4,500 slots moved", replicas: 1, awaited: 1, happen: resharded },
  { name: "a replica promoted by hand, 3 times", replicas: 1, awaited: 0, happen: promoted },
  { name: "a replica promoted by hand, 3 times", replicas: 1, awaited: 1, happen: promoted },
];

testFaults("in a cluster", FAULTS, startCluster, (cluster) => cluster.stored());
