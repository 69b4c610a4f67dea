import { REDIS_BATCHES } from "./redis_batches.ts";
import { Problem } from "../../problem.ts";
import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { CounterStore, ListOptions, ListPage } from "../../counter/store.ts";
import { within } from "../../counter/within.ts";
import { RedisAdditions } from "./redis_additions.ts";
import { RedisCalls } from "./redis_calls.ts";
import { RedisChanges } from "./redis_changes.ts";
import { listCounters } from "./redis_list.ts";
import { RedisReading } from "./redis_reading.ts";
import { isFailure, isForbidden } from "./connection/reply.ts";
import { saltOf } from "./redis_salt.ts";
import { nameScripts } from "./script_calls.ts";
import type { Shard, StoreLink } from "./connection/link.ts";

/** Options of {@linkcode createRedisStore}. */
export interface RedisStoreOptions {
  link: StoreLink;
  /** What stands before the id in a key. */
  prefix: string;
  calendar: Calendar;
  /** Called once where Redis allows plain hits and forbids something else, such as scripts. */
  onForbidden(cause: Error): void;
  /** Called where the days of a counter are out of bounds: they count as none. */
  onDamaged(id: CounterId): void;
}

/** How long one shard may take to show that it takes hits: one that hangs must not speak for the others. */
const PROBE_MS = 800;

/**
 * Counters in Redis: the key is prefix + id and holds a plain integer; the days lie beside it in a ledger.
 *
 * Commands of a batch are independent of each other (no MULTI), so that one bad key fails alone.
 */
export async function createRedisStore(options: RedisStoreOptions): Promise<CounterStore> {
  const { link, prefix, calendar, onForbidden, onDamaged } = options;
  const scripts = await nameScripts();
  const calls = new RedisCalls({ link, scripts, onForbidden });
  const additions = new RedisAdditions({ calls, scripts, prefix });
  const changes = new RedisChanges({ calls, scripts, additions, prefix, calendar, onDamaged });
  const reading = new RedisReading({ calls, link, prefix, onDamaged });

  /** Asks for all that a hit has to pass and then is refused, as it names no number: nothing is written. */
  async function takesHits({ key }: Shard): Promise<boolean> {
    try {
      const [reply] = await within(PROBE_MS, calls.write([["INCRBY", key, "none"]]));
      return reply?.kind === "refused" && !isFailure(reply);
    } catch {
      return false;
    }
  }

  async function* list(asked: ListOptions): AsyncGenerator<ListPage> {
    try {
      yield* listCounters({ link, reading, prefix }, asked);
    } catch (error) {
      // Its callers are told to try again later, which helps only once somebody has read the log.
      const cause = error instanceof Problem ? error.cause : undefined;
      if (cause instanceof Error && isForbidden(cause)) calls.tellForbidden(cause);
      throw error;
    }
  }

  return {
    source: "redis",
    ...REDIS_BATCHES,
    add: (additions) => changes.add(additions),
    addOnce: (additions) => changes.addOnce(additions),
    write: (writes) => changes.write(writes),
    salt: (day) => saltOf(day, { calls, calendar }),
    read: (ids) => reading.read(ids),
    history: (questions) => reading.history(questions),
    list,
    async check() {
      const shards = link.shards(prefix);
      const takeHits = await Promise.all(shards.map(takesHits));
      if (!takeHits.includes(true)) throw new Problem("store-unavailable");
      return shards.filter((_, index) => !takeHits[index]).map(({ name }) => name);
    },
    close: () => link.close(),
  };
}
