import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { counterId } from "../../../../src/domain/counter_id.ts";
import { createCounters } from "../../../../src/counters/counters.ts";
import { createLog } from "../../../../src/log.ts";
import { Metrics } from "../../../../src/metrics.ts";
import { createStoreHealth } from "../../../../src/store/store_health.ts";
import {
  FOREIGN_VALUES,
  openRedisStore,
  redisBackend,
  storeOn,
} from "../../../support/redis_backend.ts";
import { linkTo } from "../../../support/redis_link.ts";
import { type RedisSentinels, startSentinels } from "../../../support/redis_sentinel.ts";
import { needsRedis, redisAvailable } from "../../../support/redis_server.ts";
import { addition, testStore } from "../../../support/store_contract.ts";
import { waitFor } from "../../../support/wait_for.ts";

const HOME = counterId("home");

/** One for all tests that leave it as it was. */
let shared: RedisSentinels;

if (redisAvailable) {
  Deno.test.beforeAll(async () => {
    shared = await startSentinels();
  });
  Deno.test.afterAll(() => shared[Symbol.asyncDispose]());
}

testStore("Redis under Sentinels", {
  ...needsRedis,
  foreign: FOREIGN_VALUES,
  writers: 3,
  keeps: true,
  start: () =>
    Promise.resolve(redisBackend({
      url: shared.url,
      masterOf: () => Promise.resolve(shared.server(0)),
      end: async () => {
        await shared.server(0).command("FLUSHALL");
      },
    })),
});

Deno.test("on Redis, the address of one Sentinel is asked what it is", needsRedis, async () => {
  const store = await openRedisStore(`redis://127.0.0.1:${shared.sentinels[1]?.port}`);
  deepStrictEqual(await store.add([addition(HOME, 3)]), [3]);
  strictEqual(await shared.server(0).command("GETDEL", "hits:home"), "3");
  await store.close();
});

for (const name of ["", "/nobody"]) {
  Deno.test(
    `with Sentinel, where the name "${name}" says too little the error lists what they watch`,
    needsRedis,
    async () => {
      await using sentinels = await startSentinels({ names: ["alpha", "beta"] });
      await rejects(linkTo(`${sentinels.url}${name}`), {
        name: "StartError",
        message:
          /^STORE_URL must end in a slash and the name of the master that the Sentinels watch.*alpha, beta$/,
      });
      const store = await openRedisStore(`${sentinels.url}/beta/2`);
      deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
      const beta = await sentinels.master("beta");
      const [, value] = await beta.commands([["SELECT", "2"], ["GET", "hits:home"]]);
      strictEqual(value, "1");
      await store.close();
    },
  );
}

Deno.test(
  "with Sentinel, the login is for the Redis, whether the Sentinels ask for one or not",
  needsRedis,
  async () => {
    for (const guarded of [false, true]) {
      await using sentinels = await startSentinels({ password: "p@ss", guarded });
      const store = await openRedisStore(sentinels.url.replace("://", "://:p%40ss@"));
      deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
      await store.close();
    }
  },
);

Deno.test(
  "with Sentinel, hits go on with the new master when the old one is killed, and when it is back",
  needsRedis,
  async () => {
    await using sentinels = await startSentinels({ failsOver: true });
    const log: string[] = [];
    const health = createStoreHealth(
      createLog({ secrets: [], write: (line) => log.push(line) }),
      new Metrics(),
    );
    const link = await linkTo(sentinels.url, { health });
    const counters = createCounters(await storeOn(link));
    strictEqual(await counters.hit(HOME), 1);
    const old = await sentinels.master();
    await old.kill("SIGKILL");
    const next = await waitFor("the failover", async () => {
      const master = await sentinels.master();
      return master === old ? undefined : master;
    });
    // It comes back as a master, and the Sentinels take seconds to make it a replica.
    await old.start();
    const number = await waitFor(
      "a hit",
      () => counters.hit(HOME).catch(() => undefined),
    );
    strictEqual(String(number), await next.command("GET", "hits:home"));
    deepStrictEqual(log.map((line) => JSON.parse(line).event), [
      "store unavailable",
      "store available",
    ]);
    await counters.close();
  },
);

Deno.test(
  "with Sentinel, hits go to the new master although the first Sentinel still waits for other replicas to follow it",
  needsRedis,
  async () => {
    await using sentinels = await startSentinels({ replicas: 2 });
    const link = await linkTo(sentinels.url);
    const store = await storeOn(link);
    deepStrictEqual(await store.add([addition(HOME, 1)]), [1]);
    const [first, ...others] = sentinels.sentinels;
    // It would else go on without a replica that hangs.
    const patience = ["down-after-milliseconds", "60000", "failover-timeout", "60000"];
    await first?.command("SENTINEL", "SET", "mymaster", ...patience);
    await first?.command("SENTINEL", "FAILOVER", "mymaster");
    const replicas = [sentinels.server(1), sentinels.server(2)];
    const next = await waitFor("the promotion", async () => {
      const roles = await Promise.all(
        replicas.map((replica) => replica.command("INFO", "replication").catch(() => "")),
      );
      return replicas[roles.findIndex((role) => /role:master/.test(String(role)))];
    }, { interval: 5 });
    await replicas.find((replica) => replica !== next)?.kill("SIGSTOP");
    await waitFor("the other Sentinels", async () => {
      const told = await Promise.all(
        others.map((sentinel) =>
          sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster")
        ),
      );
      return told.every((address) => String(address).endsWith(`,${next.port}`)) || undefined;
    });
    await waitFor("a hit", async () => {
      const [number] = await store.add([addition(HOME, 1)]);
      return String(number) === await next.command("GET", "hits:home") || undefined;
    });
    match(String(await first?.command("SENTINEL", "MASTERS")), /failover_in_progress/);
    await store.close();
  },
);
