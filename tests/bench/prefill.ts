import { join } from "node:path";
import { createCalendar } from "../../src/domain/calendar.ts";
import { encodeLedger, kvKeys } from "../../src/store/kv/kv_layout.ts";
import { formatLedger } from "../../src/store/redis/redis_layout.ts";
import type { RedisServer } from "../support/redis_server.ts";

/**
 * Initial total of each counter. Redis shares copies of integers below 10,000, which would save
 * memory.
 */
const HITS = 12_345;
/**
 * Number of counters in one commit. Deno KV allows 80 kB of keys (docs.deno.com, "Key-value store
 * limits").
 */
const PER_COMMIT = 250;

/** They were hit today already: what a hit costs that opens a day is measured by itself. */
function ledger() {
  const openDay = createCalendar("UTC").today();
  return { openDay, totalAtDayStart: HITS - 1, firstYear: undefined, before: [] };
}

/**
 * Makes the counters n1 … n`count` in the default file of a service in `cwd`, which must not run.
 */
export async function prefillKv(cwd: string, count: number): Promise<void> {
  await Deno.mkdir(join(cwd, "data"));
  const kv = await Deno.openKv(join(cwd, "data", "counters.kv"));
  const value = new Deno.KvU64(BigInt(HITS));
  const days = encodeLedger(ledger());
  const keys = kvKeys("hits:");
  for (let id = 1; id <= count;) {
    const operation = kv.atomic();
    for (const end = id + PER_COMMIT; id < end && id <= count; id++) {
      operation.set(keys.total(`n${id}`), value);
      operation.set(keys.ledger(`n${id}`), days);
    }
    await operation.commit();
  }
  kv.close();
}

/** Fills a Redis with the same counters, in the form in which the service stores them. */
export async function prefillRedis(redis: RedisServer, count: number): Promise<void> {
  await redis.command("EVAL", FILL, "0", String(count), String(HITS), formatLedger(ledger()));
}

const FILL = `for i = 1, tonumber(ARGV[1]) do
  redis.call('SET', 'hits:n' .. i, ARGV[2])
  redis.call('SET', '{hits:n' .. i .. '}days', ARGV[3])
end
return 1`;
