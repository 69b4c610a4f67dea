import { Problem } from "../../problem.ts";
import { ownSlots } from "./cluster_slots.ts";
import type { ClusterTopology } from "./cluster_topology.ts";
import { SLOTS } from "./key_slot.ts";
import type { RedisNode } from "./redis_node.ts";
import { problemOf } from "./connection/reply.ts";
import { scanNode } from "./scan_node.ts";

/** How many slots a node is asked for at once. */
const PORTION = 100;
/** More keys than a slot holds. */
const ALL_KEYS = String(2 ** 31 - 1);

/** Pause before the masters are asked again what they serve, in milliseconds, doubled each time up to the longest. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 320;

/** What tells the masters, and asks for them anew. */
interface MasterSource extends Pick<ClusterTopology, "masters"> {
  readonly inquiry: Pick<ClusterTopology["inquiry"], "ask">;
}

/** Who are known to serve slots, and what each of them says of its own: what one knows of another may be out of date. */
interface Served {
  readonly masters: readonly RedisNode[];
  /** Who serves each slot, and since which epoch: one that got a slot back has another. */
  readonly owners: readonly (string | undefined)[];
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

/** Asks again where a slot is handed on just then, or its new master is not connected yet. */
async function served(topology: MasterSource): Promise<Served> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs *= 2) {
    try {
      return await askMasters(topology);
    } catch (problem) {
      if (pauseMs > LONGEST_PAUSE_MS) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * One that a slot moves to says at any time that it takes the slot over or, once all keys are there, that it serves it.
 * Where some keys may lie with a node that is not among the masters, as it serves no slot yet, this fails.
 */
async function askMasters(topology: MasterSource): Promise<Served> {
  await topology.inquiry.ask();
  const masters = [...topology.masters.keys()];
  const told = await Promise.all(masters.map(async (node) => {
    const [reply] = await node.send([["CLUSTER", "NODES"]]);
    return ownSlots(reply) ?? Promise.reject(problemOf(reply, "store-unavailable"));
  }));
  const ids = new Set(told.map(({ id }) => id));
  const owners = Array.from<string | undefined>({ length: SLOTS });
  const underWay = new Set<number>();
  for (const own of told) {
    for (const [first, last] of own.served) owners.fill(`${own.id} ${own.epoch}`, first, last + 1);
    for (const { slot, other } of own.underWay) {
      if (!ids.has(other)) throw elsewhere(slot);
      underWay.add(slot);
    }
  }
  const lost = owners.findIndex((owner, slot) => owner === undefined && !underWay.has(slot));
  if (lost !== -1) throw elsewhere(lost);
  return { masters, owners, underWay };
}

function elsewhere(slot: number): Problem {
  return new Problem("store-unavailable", {
    cause: new Error(`Keys of slot ${slot} may lie with a node that serves no slots`),
  });
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
