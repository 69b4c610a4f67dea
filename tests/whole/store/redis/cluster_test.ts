import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { counterId } from "../../../../src/counter/counter_id.ts";
import { testOnce } from "../../../support/once_contract.ts";
import { FOREIGN_VALUES, openRedisStore, redisBackend } from "../../../support/redis_backend.ts";
import { type RedisCluster, startCluster } from "../../../support/redis_cluster.ts";
import { testHistory } from "../../../support/history_contract.ts";
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

testStore("createRedisStore on a cluster", KIND);
testHistory("createRedisStore on a cluster", KIND);
testOnce("createRedisStore on a cluster", KIND);

for (const prefix of ["", "{tag}", "日本:"]) {
  Deno.test(
    `openCluster: counters lie under "${prefix}" + id on the node of their slot`,
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

async function empty({ nodes }: RedisCluster): Promise<void> {
  await Promise.all(nodes.slice(0, 3).map((node) => node.command("FLUSHALL")));
}
