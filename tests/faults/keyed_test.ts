import { ok } from "node:assert/strict";
import { join } from "node:path";
import { startProxiedRedis } from "../support/proxied_redis.ts";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { SECRET } from "../support/secret.ts";
import { type Service, startService } from "../support/service.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitFor } from "../support/wait_for.ts";
import { type KeyedLoad, startKeyedCallers } from "./keyed_load.ts";
import { reportKept } from "./numbers.ts";
import { times } from "../support/times.ts";
import { storedInKv, storedInRedis } from "./stored.ts";

/** The one setting with which Redis loses nothing that it has acknowledged. */
const durable = ["--appendonly", "yes", "--appendfsync", "always"];

/** Waits until `more` hits than now are settled. */
async function settle(load: KeyedLoad, more: number): Promise<void> {
  const enough = load.settled + more;
  await waitFor(`${more} hits`, () => load.settled >= enough || undefined);
}

Deno.test("Deno KV: hits with keys, sent again when the service was killed, are stored once each", async () => {
  const runs = times(3, 20);
  await using folder = await tempDir();
  const start = () => startService({ cwd: folder.path, env: { SECRET_TOKEN: SECRET } });
  let service: Service = await start();
  await using load = startKeyedCallers({ service: () => service, callers: 100 });
  for (let run = 1; run <= runs; run++) {
    await settle(load, 500 + Math.random() * 1500);
    await service.kill();
    service = await start();
  }
  await load.stop();
  await service.stop();
  load.check(await storedInKv(join(folder.path, "data", "counters.kv")));
  const measured = `${load.settled} settled = stored, ${load.repeated} by a repeat`;
  reportKept({ fault: "kill -9 of the service, with keys", runs, measured });
});

Deno.test(
  "Redis: hits with keys, sent again when Redis was killed, are stored once each",
  needsRedis,
  async () => {
    const runs = times(3, 10);
    await using redis = await startRedis({ args: durable });
    const env = { SECRET_TOKEN: SECRET, STORE_URL: redis.url };
    await using service = await startService({ env });
    await using load = startKeyedCallers({ service: () => service, callers: 100 });
    for (let run = 1; run <= runs; run++) {
      await settle(load, 300 + Math.random() * 700);
      await redis.kill("SIGKILL");
      await redis.start();
    }
    await load.stop();
    load.check(await storedInRedis(redis));
    const measured = `${load.settled} settled = stored, ${load.repeated} by a repeat`;
    reportKept({ fault: "kill -9 of Redis, with keys", runs, measured });
  },
);

Deno.test(
  "Redis: hits with keys whose reply was lost are settled by sending them again",
  needsRedis,
  async () => {
    const runs = times(10, 100);
    await using proxied = await startProxiedRedis();
    const { redis, proxy, url } = proxied;
    await using service = await startService({ env: { SECRET_TOKEN: SECRET, STORE_URL: url } });
    await using load = startKeyedCallers({ service: () => service, callers: 20, ids: 3 });
    for (let run = 1; run <= runs; run++) {
      await settle(load, 20);
      await proxy.cutAfterNextRequest("EVALSHA");
    }
    await load.stop();
    ok(load.repeated >= runs, `${load.repeated} repeats in ${runs} runs`);
    load.check(await storedInRedis(redis));
    const measured = `${load.settled} settled = stored, ${load.repeated} by a repeat`;
    reportKept({ fault: "reply of Redis lost, with keys", runs, measured });
  },
);
