import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import * as library from "@redis/client";
import { parseRedisUrl } from "../../../../../src/start/store_address.ts";
import { ClusterTopology } from "../../../../../src/store/redis/cluster/topology.ts";
import { slotOf } from "../../../../../src/store/redis/layout.ts";
import { RedisNode } from "../../../../../src/store/redis/connection/node.ts";
import { ownSlots, scanCluster } from "../../../../../src/store/redis/cluster/scan.ts";
import type { Reply } from "../../../../../src/store/redis/connection/reply.ts";
import { NOOP_HEALTH } from "../../../../../src/store/store_health.ts";
import { moveSlots } from "../../../../support/cluster_steps.ts";
import { type RedisCluster, startCluster } from "../../../../support/redis_cluster.ts";
import { needsRedis, type RedisServer } from "../../../../support/redis_server.ts";
import { FAR_AWAY_MS } from "../../../../support/time_limit.ts";
import { waitFor } from "../../../../support/wait_for.ts";

const done = (value: unknown): Reply => ({ kind: "done", value });
const refused = (message: string): Reply => ({ kind: "refused", cause: new Error(message) });

Deno.test(
  "scanCluster: a key that moves to a master already looked at is told, also where the node asked for the masters has not heard of it",
  needsRedis,
  async () => {
    await using cluster = await startCluster({ replicas: 0 });
    await using topology = await topologyOf(cluster);
    // Slots 12182 and 15495 lie with the last of three masters, 866 with the first.
    for (const key of ["hits:{foo}", "hits:{a}", "hits:{hello}"]) {
      await (await cluster.masterOf(key)).command("SET", key, "1");
    }
    const masters = new Map(topology.masters);
    const pages = scanCluster({ masters, poller: { async refresh() {} } }, "hits:");
    const found = [...(await pages.next()).value ?? []];
    deepStrictEqual(found, ["hits:{hello}"]);
    await moveSlots([slotOf("{foo}")], { from: cluster.node(2), to: cluster.node(0) });
    for await (const keys of pages) found.push(...keys);
    deepStrictEqual([...new Set(found)].sort(), ["hits:{a}", "hits:{foo}", "hits:{hello}"]);
  },
);

Deno.test(
  "scanCluster: what lies with a master that is not known is not passed over in silence",
  needsRedis,
  async () => {
    await using cluster = await startCluster({ replicas: 0 });
    await using topology = await topologyOf(cluster);
    const masters = new Map([...topology.masters].slice(0, 2));
    await rejects(
      Array.fromAsync(scanCluster({ masters, poller: { async refresh() {} } }, "hits:")),
      { kind: "store-unavailable" },
    );
  },
);

Deno.test(
  "scanCluster: keys on their way to a node that serves no slot yet are not passed over in silence",
  needsRedis,
  async () => {
    await using cluster = await startCluster();
    await using topology = await topologyOf(cluster);
    const [from, to] = [await cluster.masterOf("{foo}"), cluster.node(3)];
    const slot = String(slotOf("{foo}"));
    await to.command("CLUSTER", "RESET", "HARD");
    await to.command("CLUSTER", "MEET", "127.0.0.1", String(from.port), await busPortOf(from));
    const other = await to.command("CLUSTER", "MYID");
    await waitFor(
      "the new node",
      async () =>
        String(await from.command("CLUSTER", "NODES")).includes(String(other)) || undefined,
      { timeout: FAR_AWAY_MS },
    );
    await to.command(
      "CLUSTER",
      "SETSLOT",
      slot,
      "IMPORTING",
      String(await from.command("CLUSTER", "MYID")),
    );
    await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", String(other));
    const { masters } = topology;
    await rejects(
      Array.fromAsync(scanCluster({ masters, poller: { async refresh() {} } }, "hits:")),
      { kind: "store-unavailable" },
    );
    await from.command("CLUSTER", "SETSLOT", slot, "STABLE");
    deepStrictEqual(
      (await Array.fromAsync(scanCluster({ masters, poller: { async refresh() {} } }, "hits:")))
        .flat(),
      [],
    );
  },
);

Deno.test(
  "scanCluster: a slot that went to a master already looked at and came back is looked at again",
  needsRedis,
  async () => {
    await using cluster = await startCluster({ replicas: 0 });
    await using topology = await topologyOf(cluster);
    const [first, last] = [cluster.node(0), cluster.node(2)];
    await first.command("SET", "hits:{hello}", "1");
    await last.command("SET", "hits:{foo}", "1");
    const slots = [slotOf("{foo}")];
    const pages = scanCluster(topology, "hits:");
    const found = [...(await pages.next()).value ?? []];
    await moveSlots(slots, { from: last, to: first });
    // Which tells that the last master was looked at.
    await last.command("SET", "hits:{a}", "1");
    while (!found.includes("hits:{a}")) found.push(...(await pages.next()).value ?? []);
    await moveSlots(slots, { from: first, to: last });
    for await (const keys of pages) found.push(...keys);
    deepStrictEqual([...new Set(found)].sort(), ["hits:{a}", "hits:{foo}", "hits:{hello}"]);
  },
);

Deno.test("ownSlots: what a node serves, hands over and takes over, of all that it knows", () => {
  const text = [
    "other 127.0.0.1:3@4 master - 0 0 2 connected 6-9 [1-<-id]",
    "id 127.0.0.1:1@2,name myself,master - 0 0 1 connected 0-5 12 [7->-other] [93-<-other]",
    "third :5@6 slave other 0 0 2 connected",
    "",
  ].join("\n");
  deepStrictEqual(ownSlots(done(text)), {
    id: "id",
    epoch: "1",
    served: [[0, 5], [12, 12]],
    moving: [{ slot: 7, other: "other" }, { slot: 93, other: "other" }],
  });
  deepStrictEqual(
    ownSlots(done("third :5@6 other 0 0 2 connected\nid :1@2 myself,slave other 0 0 1 connected")),
    { id: "id", epoch: "1", served: [], moving: [] },
  );
  for (const other of [refused("NOPERM"), done("OK"), undefined]) {
    strictEqual(ownSlots(other), undefined);
  }
});

/** What a service knows of a cluster, once it is connected to all masters. */
async function topologyOf(
  cluster: RedisCluster,
): Promise<Pick<ClusterTopology, "masters" | "poller"> & AsyncDisposable> {
  const topology = new ClusterTopology({
    seeds: parseRedisUrl(cluster.url).addresses,
    health: NOOP_HEALTH,
    connect: (address) =>
      new RedisNode({ address, library, health: NOOP_HEALTH, replicas: 0, onInfo() {} }),
    onGone() {},
  });
  await waitFor("all masters", async () => {
    await topology.poller.refresh();
    const masters = [...topology.masters.keys()];
    return masters.length === 3 && masters.every((node) => node.usable) || undefined;
  }, { timeout: FAR_AWAY_MS });
  return {
    masters: topology.masters,
    poller: topology.poller,
    [Symbol.asyncDispose]: () => topology.close(),
  };
}

/** The port on which a node talks with the others, by its own word. */
async function busPortOf(node: RedisServer): Promise<string> {
  return /@(\d+)\S* \S*myself/.exec(String(await node.command("CLUSTER", "NODES")))?.[1] ?? "";
}
