import { join } from "node:path";
import type { RedisServer } from "../support/redis_server.ts";

/** What every counter starts with: a number that a store keeps no shared copy of, as it does of small ones. */
const HITS = 12_345;
/** How many counters one commit sets: 80 kB of keys is the most (docs.deno.com, "Key-value store limits"). */
const PER_COMMIT = 500;

/** Makes the counters n1 … n`count` in the default file of a service in `cwd`, which must not run. */
export async function prefillKv(cwd: string, count: number): Promise<void> {
  await Deno.mkdir(join(cwd, "data"));
  const kv = await Deno.openKv(join(cwd, "data", "counters.kv"));
  const value = new Deno.KvU64(BigInt(HITS));
  for (let id = 1; id <= count;) {
    const operation = kv.atomic();
    for (const end = id + PER_COMMIT; id < end && id <= count; id++) {
      operation.set(["hits:", `n${id}`], value);
    }
    await operation.commit();
  }
  kv.close();
}

/** The same in a Redis, in the form that a counter has there. */
export async function prefillRedis(redis: RedisServer, count: number): Promise<void> {
  await redis.command("EVAL", FILL, "0", String(count), String(HITS));
}

const FILL =
  "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'hits:n' .. i, ARGV[2]) end return 1";
