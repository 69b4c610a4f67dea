import { join } from "node:path";
import { counterId } from "../../src/counter/counter_id.ts";
import { openKvFile } from "../../src/counter/kv_file.ts";
import { createKvStore } from "../../src/counter/kv_store.ts";
import { createStoreHealth } from "../../src/counter/store_health.ts";
import { createLog } from "../../src/log.ts";
import type { RedisServer } from "../support/redis_server.ts";

/** Gives the counters n1 … n`count` one hit each in the default file of a service in `cwd`, which must not run. */
export async function prefillKv(cwd: string, count: number): Promise<void> {
  const file = await openKvFile(join(cwd, "data", "counters.kv"));
  const health = createStoreHealth(createLog({ secrets: [] }));
  const store = createKvStore({
    ...{ kv: file.kv, file, prefix: "hits:", source: "deno-kv", health, shared: false },
  });
  for (let start = 1; start <= count; start += store.idsPerBatch) {
    const length = Math.min(store.idsPerBatch, count - start + 1);
    await store.add(
      Array.from({ length }, (_, index) => ({ id: counterId(`n${start + index}`), amount: 1 })),
    );
  }
  await store.close();
}

/** The same in a Redis, in the form that a counter has there. */
export async function prefillRedis(redis: RedisServer, count: number): Promise<void> {
  await redis.command("EVAL", FILL, "0", String(count));
}

const FILL = "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'hits:n' .. i, 1) end return 1";
