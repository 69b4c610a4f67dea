import { Problem } from "../../problem.ts";
import { slotsUnderWay } from "./cluster_slots.ts";
import type { ClusterTopology } from "./cluster_topology.ts";
import { SLOTS } from "./key_slot.ts";
import type { RedisNode } from "./redis_node.ts";
import { scanNode } from "./scan_node.ts";

/** How many slots a node is asked for at once. */
const PORTION = 100;
/** More keys than a slot holds. */
const ALL_KEYS = String(2 ** 31 - 1);

/**
 * The keys of a cluster that begin with `prefix`, in pages: those of each master, and once more those in slots that moved
 * meanwhile, as their keys may have left one master before it was looked at for another that had been looked at already.
 */
export async function* scanCluster(
  topology: ClusterTopology,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  const moved = await underWay(topology);
  const before = ownersOf(topology);
  for (const node of topology.masters.keys()) yield* scanNode(node, prefix);
  for (const slot of await underWay(topology)) moved.add(slot);
  ownersOf(topology).forEach((owner, slot) => owner === before[slot] || moved.add(slot));
  const slots = [...moved];
  for (let first = 0; first < slots.length; first += PORTION) {
    yield* keysIn(topology, slots.slice(first, first + PORTION), prefix);
  }
}

/** The slots that are on their way from one master to another, as the masters say right now. */
async function underWay(topology: ClusterTopology): Promise<Set<number>> {
  await topology.inquiry.ask();
  const answers = await Promise.all(
    topology.masters.keys().map((node) => node.send([["CLUSTER", "NODES"]])),
  );
  return new Set(answers.flatMap(([reply]) => slotsUnderWay(reply)));
}

function ownersOf(topology: ClusterTopology): readonly (RedisNode | undefined)[] {
  return Array.from({ length: SLOTS }, (_, slot) => topology.ownerOf(slot));
}

/** Twice from all: a key may go from a master that was not asked yet to one that was, but only once. */
async function* keysIn(
  topology: ClusterTopology,
  slots: readonly number[],
  prefix: string,
): AsyncGenerator<readonly string[]> {
  const commands = slots.map((slot) => ["CLUSTER", "GETKEYSINSLOT", String(slot), ALL_KEYS]);
  for (const node of [...topology.masters.keys(), ...topology.masters.keys()]) {
    for (const reply of await node.send(commands)) {
      if (reply.kind !== "done" || !Array.isArray(reply.value)) {
        throw new Problem("store-unavailable");
      }
      yield reply.value.map(String).filter((key) => key.startsWith(prefix));
    }
  }
}
