import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import {
  type CounterStore,
  type ListOptions,
  type ListPage,
  withTimeout,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { randomSalt } from "../random_salt.ts";
import { RedisChanges, secondsLeft } from "./changes.ts";
import { RedisCommands } from "./commands.ts";
import { isFailure, isForbidden, problemOf } from "./connection/reply.ts";
import { PROBE_MS, REDIS_BATCHES } from "./limits.ts";
import { listCounters } from "./list.ts";
import { RedisReading } from "./reading.ts";
import { nameScripts } from "./scripts.ts";
import type { Shard, StoreLink } from "./connection/link.ts";

export interface RedisStoreOptions {
  link: StoreLink;
  /** Stands before the id in a key. */
  prefix: string;
  calendar: Calendar;
  /** Called once where Redis allows plain hits and forbids something else, such as scripts. */
  onForbidden(cause: Error): void;
  /** Called where the days of a counter are out of bounds: they count as none. */
  onDamaged(id: CounterId): void;
}

/**
 * Counters in Redis: the key is prefix + id and holds a plain integer; the days lie beside it in a ledger.
 *
 * Commands of a batch are independent of each other (no MULTI), so that one bad key fails alone.
 */
export async function createRedisStore(options: RedisStoreOptions): Promise<CounterStore> {
  const { link, prefix, calendar, onForbidden, onDamaged } = options;
  const scripts = await nameScripts();
  const commands = new RedisCommands({ link, scripts, onForbidden });
  const changes = new RedisChanges({ commands, scripts, prefix, calendar, onDamaged });
  const reading = new RedisReading({ commands, link, prefix, onDamaged });

  /** The salt of a day, made by whoever asks first; Redis removes it when the day ends. */
  async function salt(day: Day): Promise<string> {
    const key = `tallymark:salt:${day}`;
    const [, reply] = await commands.write([
      ["SET", key, randomSalt(), "NX", "EX", String(secondsLeft(calendar))],
      ["GET", key],
      ["DEL", `tallymark:salt:${day - 1}`],
    ]);
    if (reply?.kind === "done" && typeof reply.value === "string") return reply.value;
    throw problemOf(reply, "store-unavailable");
  }

  async function* list(asked: ListOptions): AsyncGenerator<ListPage> {
    try {
      yield* listCounters({ link, reading, prefix }, asked);
    } catch (error) {
      // The caller is told to try again later, which helps only once somebody has read the log.
      const cause = error instanceof Problem ? error.cause : undefined;
      if (cause instanceof Error && isForbidden(cause)) commands.reportForbidden(cause);
      throw error;
    }
  }

  /** Sends an addition that is refused only after all checks, as it names no number: nothing is written. */
  async function takesHits({ key }: Shard): Promise<boolean> {
    try {
      const [reply] = await withTimeout(PROBE_MS, commands.write([["INCRBY", key, "none"]]));
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
