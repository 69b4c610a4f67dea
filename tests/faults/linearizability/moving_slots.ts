import { slotOf, SLOTS } from "../../../src/store/redis/slots.ts";
import {
  beginMove,
  endMove,
  moveKeys,
  waitForCluster,
  waitForOwner,
} from "../../support/cluster_steps.ts";
import type { RedisCluster } from "../../support/redis_cluster.ts";

/** Returns a function that moves the slots of the counters to the next node, one key at a time. */
export function slotMover({ nodes }: RedisCluster, ids: readonly string[]): () => Promise<void> {
  const slots = [...new Set(ids.map((id) => slotOf(`hits:${id}`)))];
  let turn = -1;

  async function move(moved: readonly number[], from: number, to: number): Promise<void> {
    const [source, target] = [nodes[from], nodes[to]];
    if (source === undefined || target === undefined) throw new Error("Move slots: no such node");
    const ways = { from: source, to: target };
    await beginMove(moved, ways);
    for (const slot of moved) {
      const keys = await source.command("CLUSTER", "GETKEYSINSLOT", String(slot), "100");
      if (!Array.isArray(keys)) throw new Error("Move slots: no list of keys came");
      for (const key of keys.map(String)) await moveKeys([key], ways);
    }
    await endMove(moved, ways);
    for (const slot of moved) await waitForOwner(slot, { owner: target, nodes });
  }

  return async () => {
    if (turn >= 0) return await move(slots, turn % 3, ++turn % 3);
    for (const slot of slots) {
      const owner = Math.floor(slot * 3 / SLOTS);
      if (owner !== 0) await move([slot], owner, 0);
    }
    turn = 0;
  };
}

/** Moves the slots of counters from node to node until it is disposed of. */
export function moveAllTheTime(cluster: RedisCluster, ids: readonly string[]): AsyncDisposable {
  const move = slotMover(cluster, ids);
  let ended = false;
  const moves = (async () => {
    while (!ended) await move();
    await waitForCluster(cluster.nodes);
  })();
  // It is told where its end is waited for.
  moves.catch(() => {});
  return {
    async [Symbol.asyncDispose]() {
      ended = true;
      await moves;
    },
  };
}
