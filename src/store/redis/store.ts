import type { Day } from "../../counter/days.ts";
import { type CounterStore, withTimeout } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { RedisChanges, secondsLeft } from "./changes.ts";
import type { Shard } from "./node.ts";
import { isFailure, problemOf } from "./reply.ts";
import { PROBE_MS, REDIS_BATCHES } from "./limits.ts";
import { RedisReading, type RedisStoreOptions } from "./reading.ts";
import { checkRights } from "./rights.ts";
import { RedisSwap } from "./swap.ts";

/**
 * Opens the counters in a Redis. The key of a total is the prefix and the id, and its value is a
 * plain integer. The days are in another key, the ledger.
 *
 * Commands of a batch are independent of each other (no MULTI), so that one bad key fails alone.
 */
export async function createRedisStore(options: RedisStoreOptions): Promise<CounterStore> {
  const { link, prefix, calendar } = options;
  await checkRights(link, prefix);
  const reading = new RedisReading(options);
  const changes = new RedisChanges(options, new RedisSwap(options, reading));

  /**
   * The salt of a day, made by the first process that needs it; Redis removes it when the day ends.
   */
  async function salt(day: Day): Promise<string> {
    const key = `tallymark:salt:${day}`;
    const salt = crypto.getRandomValues(new Uint8Array(16)).toHex();
    const [, reply] = await link.send([
      ["SET", key, salt, "NX", "EX", String(secondsLeft(calendar))],
      ["GET", key],
      ["DEL", `tallymark:salt:${day - 1}`],
    ]);
    if (reply?.kind === "done" && typeof reply.value === "string") return reply.value;
    throw problemOf(reply, "store-unavailable");
  }

  /**
   * Sends an addition without a number: Redis checks everything else first, then refuses it, and
   * writes nothing.
   */
  async function takesHits({ key }: Shard): Promise<boolean> {
    try {
      const [reply] = await withTimeout(PROBE_MS, link.send([["INCRBY", key, "none"]]));
      return reply?.kind === "refused" && !isFailure(reply);
    } catch {
      return false;
    }
  }

  return {
    source: "redis",
    ...REDIS_BATCHES,
    add: (additions) => changes.add(additions),
    addOnce: (additions) => changes.addOnce(additions),
    write: (writes) => changes.write(writes),
    salt,
    read: (ids) => reading.read(ids),
    history: (questions) => reading.history(questions),
    list: (options) => reading.list(options),
    async check() {
      const shards = link.shards(prefix);
      const takeHits = await Promise.all(shards.map(takesHits));
      if (!takeHits.includes(true)) throw new Problem("store-unavailable");
      return shards.filter((_, index) => !takeHits[index]).map(({ name }) => name);
    },
    close: () => link.close(),
  };
}
