import { type StoreHealth, UNWATCHED } from "../store_health.ts";
import type { RedisAddress } from "../../start/redis_address.ts";
import { ClusterCourier } from "./cluster_courier.ts";
import { ClusterTopology } from "./cluster_topology.ts";
import { slotOf } from "./key_slot.ts";
import { arrived, type RedisNode } from "./redis_node.ts";
import { scanCluster } from "./scan_cluster.ts";
import type { Shard, StoreLink } from "./store_link.ts";

/** Options of {@linkcode openCluster}. */
export interface ClusterOptions {
  /** Nodes to ask at first. */
  seeds: readonly RedisAddress[];
  /** Of the cluster as a whole. */
  health: StoreHealth;
  /** Connects to a node. */
  connect(address: RedisAddress, onInfo: () => void): RedisNode;
  /** Called where a node is no longer connected to. */
  onGone(address: RedisAddress): void;
  /** Called for each command that a node sends elsewhere. */
  onRedirect(): void;
}

/** How long nodes that do not answer are waited for: hits that wait for it must not be overdue, as nothing was sent. */
const OPEN_MS = 700;
/** How many keys are tried to find one in each shard. */
const TRIES = 1000;

/** The way to a Redis Cluster; resolves when its nodes are known and connected, or cannot be for now. A node that is away fails the commands for its own slots only. */
export async function openCluster(options: ClusterOptions): Promise<StoreLink> {
  const { seeds, health, connect, onGone, onRedirect } = options;
  const topology = new ClusterTopology({
    seeds,
    health,
    connect: (address) => connect(address, () => topology.inquiry.alarm()),
    onGone,
  });
  const courier = new ClusterCourier(topology, onRedirect);
  const until = performance.now() + OPEN_MS;
  await arrived(topology.nodes, until);
  await topology.inquiry.ask();
  await arrived(topology.masters.keys(), until);
  await topology.inquiry.askAnew();
  return {
    health: UNWATCHED,
    together: false,
    send: (commands) => courier.send(commands),
    shards: (prefix) => shardsOf(topology, prefix),
    scan: (prefix) => scanCluster(topology, prefix),
    close: () => topology.close(),
  };
}

/** The masters, each with a key of its slots; one that no key with this prefix lies in takes no hits. */
function shardsOf(topology: ClusterTopology, prefix: string): readonly Shard[] {
  const shards = new Map<RedisNode, Shard>();
  const { masters } = topology;
  for (let tried = 0; tried < TRIES && shards.size < masters.size; tried++) {
    const key = `${prefix}${tried}`;
    const node = topology.ownerOf(slotOf(key));
    if (node === undefined || shards.has(node)) continue;
    const range = masters.get(node);
    if (range === undefined) continue;
    shards.set(node, { name: `slots ${range.first}-${range.last}`, key });
  }
  return [...shards.values()];
}
