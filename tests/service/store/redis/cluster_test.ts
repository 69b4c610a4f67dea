import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { Failure } from "../../../../src/domain/errors.ts";
import { slotOf } from "../../../../src/store/redis/redis_layout.ts";
import { counterId } from "../../../../src/domain/counter_id.ts";
import { testOnce } from "../../../support/once_contract.ts";
import { FOREIGN_VALUES, openRedisStore, redisBackend } from "../../../support/redis_backend.ts";
import { type RedisCluster, startCluster } from "../../../support/redis_cluster.ts";
import { testHistory } from "../../../support/history_contract.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { needsRedis, redisAvailable } from "../../../support/redis_server.ts";
import { addition, type StoreKind, testStore } from "../../../support/store_contract.ts";

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
    const refused = await store.move({ from, to });
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
