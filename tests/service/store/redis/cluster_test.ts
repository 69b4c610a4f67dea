import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { Failure } from "../../../../src/domain/errors.ts";
import { slotOf } from "../../../../src/store/redis/slots.ts";
import { counterId } from "../../../../src/domain/counter_id.ts";
import { testOnce } from "../../../support/once_contract.ts";
import { FOREIGN_VALUES, openRedisStore, redisBackend } from "../../../support/redis_backend.ts";
import { type RedisCluster, startCluster } from "../../../support/redis_cluster.ts";
import { testHistory } from "../../../support/history_contract.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { needsRedis, redisAvailable, type RedisServer } from "../../../support/redis_server.ts";
import { addition, type StoreKind, testStore } from "../../../support/store_contract.ts";
import { moveSlots } from "../../../support/cluster_steps.ts";
import { waitFor } from "../../../support/wait_for.ts";

/** One for all tests that leave it as it was. */
let shared: RedisCluster;

if (redisAvailable) {
  Deno.test.beforeAll(async () => {
    shared = await startCluster();
  });
  Deno.test.afterAll(() => shared[Symbol.asyncDispose]());
}

const KIND: StoreKind = {
  ...needsRedis,
  foreign: FOREIGN_VALUES,
  writers: 3,
  keeps: true,
  start: () =>
    Promise.resolve(redisBackend({
      url: shared.url,
      masterOf: (key) => shared.masterOf(key),
      end: () => empty(shared),
    })),
};

testStore("a Redis cluster", KIND);
testHistory("a Redis cluster", KIND);
testOnce("a Redis cluster", KIND);

for (const prefix of ["", "{tag}", "日本:"]) {
  Deno.test(
    `in a cluster, counters lie under "${prefix}" + id on the node of their slot`,
    needsRedis,
    async () => {
      const store = await openRedisStore(shared.url, { prefix });
      const ids = ["a", "b", "c", "{d}e", "é"].map(counterId);
      deepStrictEqual(await store.add(ids.map((id) => addition(id, 2))), ids.map(() => 2));
      deepStrictEqual(await store.read(ids), ids.map(() => 2));
      for (const id of ids) {
        const key = `${prefix}${id}`;
        strictEqual(await (await shared.masterOf(key)).command("GET", key), "2");
      }
      await store.close();
      await empty(shared);
    },
  );
}

Deno.test(
  "in a cluster, a move between two slots is refused, and changes nothing",
  needsRedis,
  async () => {
    const store = await openRedisStore(shared.url);
    const [from, to] = [counterId("{foo}"), counterId("{hello}")];
    await store.add([addition(from, 2)]);
    const [refused] = await store.write([{ id: from, update: undefined, to }]);
    strictEqual(refused instanceof Failure && refused.kind, "slots-differ");
    deepStrictEqual(await store.read([from, to]), [2, 0]);
    await store.close();
    await empty(shared);
  },
);

Deno.test(
  "in a cluster, totals are read once beside one whose slot has no node",
  needsRedis,
  async () => {
    await using cluster = await startCluster({
      replicas: 0,
      args: ["--cluster-require-full-coverage", "no"],
    });
    const store = await openRedisStore(cluster.url);
    const ids = ["{foo}", "{hello}"].map(counterId);
    await store.add(ids.map((id) => addition(id, 2)));
    const without = await cluster.masterOf("{foo}");
    const other = await cluster.masterOf("{hello}");
    await without.command("CLUSTER", "DELSLOTS", String(slotOf("{foo}")));
    await other.command("CONFIG", "RESETSTAT");
    const [missing, total] = await store.read(ids);
    ok(missing instanceof Failure && missing.kind === "store-unavailable");
    strictEqual(total, 2);
    match(String(await other.command("INFO", "commandstats")), /cmdstat_mget:calls=1,/);
    await store.close();
  },
);

for (const prefix of ["a{b:", "a{}:"]) {
  Deno.test(
    `in a cluster, each shard is tested with a key of its own below ${prefix}`,
    needsRedis,
    async () => {
      const link = await linkTo(shared.url);
      const shards = link.shards(prefix);
      strictEqual(shards.length, 3);
      for (const { name, key } of shards) {
        const [first, last] = (/\d+-\d+/.exec(name)?.[0] ?? "").split("-").map(Number);
        const slot = slotOf(key);
        ok(slot >= (first ?? NaN) && slot <= (last ?? NaN), `${key} in ${name}`);
      }
      await link.close();
    },
  );
}

async function empty({ nodes }: RedisCluster): Promise<void> {
  await Promise.all(nodes.slice(0, 3).map((node) => node.command("FLUSHALL")));
}

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
    const knows = async (node: RedisServer, id: unknown) =>
      String(await node.command("CLUSTER", "NODES")).includes(String(id));
    await waitFor(
      "both nodes to know each other",
      async () => await knows(from, other) && await knows(to, own),
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
