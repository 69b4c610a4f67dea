import { Problem } from "../../problem.ts";
import { ownSlots } from "./cluster_slots.ts";
import type { ClusterTopology } from "./cluster_topology.ts";
import { SLOTS } from "./key_slot.ts";
import type { RedisNode } from "./redis_node.ts";
import { problemOf } from "./redis_reply.ts";
import { scanNode } from "./scan_node.ts";

/** How many slots a node is asked for at once. */
const PORTION = 100;
/** More keys than a slot holds. */
const ALL_KEYS = String(2 ** 31 - 1);

/** How often the masters are asked what they serve. */
const MOST_TRIES = 5;

/** What tells the masters, and asks for them anew. */
interface MasterSource extends Pick<ClusterTopology, "masters"> {
  readonly inquiry: Pick<ClusterTopology["inquiry"], "ask">;
}

/** Who are known to serve slots, and what each of them says of its own: what one knows of another may be out of date. */
interface Served {
  readonly masters: readonly RedisNode[];
  /** Who serves each slot. */
  readonly owners: readonly (RedisNode | undefined)[];
  /** The slots that are on their way from one to another. */
  readonly underWay: ReadonlySet<number>;
}

/**
 * The keys of a cluster that begin with `prefix`, in pages: those of each master, and once more those in slots that moved
 * meanwhile, as their keys may have left one master before it was looked at for another that had been looked at already.
 */
export async function* scanCluster(
  topology: MasterSource,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  const before = await served(topology);
  for (const node of before.masters) yield* scanNode(node, prefix);
  const { masters, owners, underWay } = await served(topology);
  const moved = Array.from(owners.keys()).filter((slot) => {
    return owners[slot] !== before.owners[slot] || underWay.has(slot) || before.underWay.has(slot);
  });
  for (let first = 0; first < moved.length; first += PORTION) {
    yield* keysIn(moved.slice(first, first + PORTION), { prefix, masters });
  }
}

/** Asks until the masters that are known have every slot between them, as one may be handed on while they are asked. */
async function served(topology: MasterSource): Promise<Served> {
  for (let tries = MOST_TRIES; tries > 0; tries--) {
    const told = await askMasters(topology);
    const { owners, underWay } = told;
    if (owners.every((owner, slot) => owner !== undefined || underWay.has(slot))) return told;
  }
  throw new Problem("store-unavailable", {
    cause: new Error("Some slots are served by no master that is known"),
  });
}

/** One that a slot moves to says at any time that it takes the slot over or, once all keys are there, that it serves it. */
async function askMasters(topology: MasterSource): Promise<Served> {
  await topology.inquiry.ask();
  const masters = [...topology.masters.keys()];
  const owners = Array.from<RedisNode | undefined>({ length: SLOTS });
  const underWay = new Set<number>();
  await Promise.all(masters.map(async (node) => {
    const [reply] = await node.send([["CLUSTER", "NODES"]]);
    const own = ownSlots(reply);
    if (own === undefined) throw problemOf(reply, "store-unavailable");
    for (const [first, last] of own.served) owners.fill(node, first, last + 1);
    for (const slot of own.underWay) underWay.add(slot);
  }));
  return { masters, owners, underWay };
}

/** Twice from all: a key may go from a master that was not asked yet to one that was, but only once. */
async function* keysIn(
  slots: readonly number[],
  { prefix, masters }: { prefix: string; masters: readonly RedisNode[] },
): AsyncGenerator<readonly string[]> {
  const commands = slots.map((slot) => ["CLUSTER", "GETKEYSINSLOT", String(slot), ALL_KEYS]);
  for (const node of [...masters, ...masters]) {
    for (const reply of await node.send(commands)) {
      if (reply.kind !== "done" || !Array.isArray(reply.value)) {
        throw problemOf(reply, "store-unavailable");
      }
      yield reply.value.map(String).filter((key) => key.startsWith(prefix));
    }
  }
}
