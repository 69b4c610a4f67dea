import { deepStrictEqual, rejects } from "node:assert/strict";
import { slotOf } from "../../../../src/store/redis/redis_layout.ts";
import { moveSlots } from "../../../support/cluster_steps.ts";
import { startCluster } from "../../../support/redis_cluster.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { needsRedis, type RedisServer } from "../../../support/redis_server.ts";
import { waitFor } from "../../../support/wait_for.ts";

const unavailable = { kind: "store-unavailable" };

for (const isMovedBack of [false, true]) {
  Deno.test(
    `in a cluster, a list during which a slot was moved${
      isMovedBack ? " and moved back" : ""
    } fails at its end, because a key may be missing`,
    needsRedis,
    async () => {
      await using cluster = await startCluster({ replicas: 0 });
      const link = await linkTo(cluster.url);
      const [first, last] = [cluster.node(0), cluster.node(2)];
      // Slot 866 belongs to the first of three masters, 12182 to the last.
      await first.command("SET", "hits:{hello}", "1");
      await last.command("SET", "hits:{foo}", "1");
      const slots = [slotOf("{foo}")];
      const pages = link.scan("hits:")[Symbol.asyncIterator]();
      await pages.next();
      await moveSlots(slots, { from: last, to: first });
      if (isMovedBack) await moveSlots(slots, { from: first, to: last });
      await rejects(async () => {
        for (;;) if ((await pages.next()).done === true) break;
      }, unavailable);
      const found = (await Array.fromAsync(link.scan("hits:"))).flat();
      deepStrictEqual(found.sort(), ["hits:{foo}", "hits:{hello}"]);
      await link.close();
    },
  );
}

Deno.test("in a cluster, a list while a slot has no master fails", needsRedis, async () => {
  await using cluster = await startCluster({
    replicas: 0,
    args: ["--cluster-require-full-coverage", "no"],
  });
  const link = await linkTo(cluster.url);
  const slot = String(slotOf("{foo}"));
  await cluster.node(2).command("CLUSTER", "DELSLOTS", slot);
  await rejects(Array.fromAsync(link.scan("hits:")), unavailable);
  await cluster.node(2).command("CLUSTER", "ADDSLOTS", slot);
  deepStrictEqual((await Array.fromAsync(link.scan("hits:"))).flat(), []);
  await link.close();
});

Deno.test(
  "in a cluster, a list fails while a slot is being moved to a node that serves no slot yet",
  needsRedis,
  async () => {
    await using cluster = await startCluster();
    const link = await linkTo(cluster.url);
    const [from, to] = [await cluster.masterOf("{foo}"), cluster.node(3)];
    const slot = String(slotOf("{foo}"));
    await to.command("CLUSTER", "RESET", "HARD");
    await to.command("CLUSTER", "MEET", "127.0.0.1", String(from.port), await busPortOf(from));
    const [other, own] = [
      await to.command("CLUSTER", "MYID"),
      await from.command("CLUSTER", "MYID"),
    ];
    await waitFor(
      "the new node",
      async () =>
        String(await from.command("CLUSTER", "NODES")).includes(String(other)) || undefined,
    );
    await to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", String(own));
    await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", String(other));
    await rejects(Array.fromAsync(link.scan("hits:")), unavailable);
    await from.command("CLUSTER", "SETSLOT", slot, "STABLE");
    deepStrictEqual((await Array.fromAsync(link.scan("hits:"))).flat(), []);
    await link.close();
  },
);

/** Returns the port on which a node talks with the others. */
async function busPortOf(node: RedisServer): Promise<string> {
  return /@(\d+)\S* \S*myself/.exec(String(await node.command("CLUSTER", "NODES")))?.[1] ?? "";
}
