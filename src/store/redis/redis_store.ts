import { type CurrentDays, currentDays } from "../../domain/calendar.ts";
import { BoundedMap } from "../../bounded_map.ts";
import type { CounterId } from "../../domain/counter_id.ts";
import type { CounterState, Day } from "../../domain/history.ts";
import {
  type Addition,
  MAX_HITS,
  type OnceAddition,
  type OnceOutcome,
  type Outcome,
  type StoreCalls,
  type Write,
} from "../../domain/store.ts";
import { Failure } from "../../domain/errors.ts";
import { idsOf } from "../../domain/update.ts";
import { withTimeout } from "../../waiting.ts";
import { relatedKey } from "./redis_layout.ts";
import type { Shard } from "./node.ts";
import { listCounters, readStates, readTotals, type RedisStoreOptions } from "./reading.ts";
import { type Command, failureOf, isFailure, type Reply } from "./reply.ts";
import { scriptCall, sendScripts } from "./scripts.ts";
import { swapEach } from "./writes.ts";

/** Number of counters whose total is cached, 80 bytes each. Hits on others need a script. */
const CACHE_SIZE = 100_000;
/** The beginning of the keys of salts, which the counters of all prefixes share. */
const SALT_PREFIX = "tallymark:salt:";
/** Timeout of the readiness check of one shard, so that one that hangs does not delay the rest. */
const PROBE_MS = 800;

/**
 * Opens the counters in a Redis. The key of a total is the prefix and the id, and its value is a
 * plain integer. The days are in another key, the ledger.
 *
 * The first hit of this process on a counter and a day is a script, which opens that day. Later
 * hits are plain INCRBYs. Opening days by compare-and-set took twice as long at midnight. Commands
 * of a batch are independent of each other (no MULTI), so that one bad key fails alone.
 */
export function createRedisStore(options: RedisStoreOptions): StoreCalls {
  const { link, prefix, calendar, onAhead } = options;
  /**
   * The last totals of counters whose day is open on the server. A deletion, another server or
   * another database in its place may close it. Those that are missing need a script. A hit changes
   * the object, which saves a lookup.
   */
  let openTotals = new BoundedMap<CounterId, { total: number }>(CACHE_SIZE);
  /** The day and the connection for which they hold. */
  let openDay: Day = -Infinity;
  let connectedAt = -Infinity;
  /** Settles when no change is tried again. */
  let retries: Promise<unknown> = Promise.resolve();

  /** Forgets which days are open if the day or the connection is another one. */
  function renew(): CurrentDays {
    const now = currentDays(calendar);
    const day = now.today;
    if (day !== openDay || link.connectedAt !== connectedAt) {
      openTotals = new BoundedMap(CACHE_SIZE);
    }
    connectedAt = link.connectedAt;
    openDay = day;
    return now;
  }

  async function add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    await retries;
    const now = renew();
    const connection = connectedAt;
    const totals = openTotals;
    const open = additions.map(({ id }) => totals.get(id));
    const commands = additions.map(({ id, amount }, index): Command => {
      return open[index] === undefined
        ? hitCall("add", id, [now.today, now.latest, amount])
        : ["INCRBY", prefix + id, String(amount)];
    });
    const replies = await sendScripts(link, commands);
    const isRenewed = link.connectedAt !== connection;
    const outcomes = additions.map((addition, index): Outcome | Promise<Outcome> => {
      const { id, amount } = addition;
      const reply = replies[index];
      if (reply?.kind !== "done") return failed(reply);
      const wasAhead = Array.isArray(reply.value);
      if (wasAhead) onAhead(id);
      const total = Number(wasAhead ? reply.value[0] : reply.value);
      if (total < amount || total > MAX_HITS) return undo(addition);
      const known = open[index];
      if (known === undefined) totals.set(id, { total });
      // The total was set or deleted since, or the data is that of another time.
      else if (isRenewed || total - amount < known.total) return begin(addition, now.today, total);
      else known.total = total;
      return total;
    });
    // Nearly all are settled. Awaiting each would cost more than all the rest.
    return outcomes.every((one): one is Outcome => !(one instanceof Promise))
      ? outcomes
      : await Promise.all(outcomes);
  }

  /** Opens the day of hits that were added although it may not have been open. */
  async function begin({ id, amount }: Addition, today: Day, total: number): Promise<Outcome> {
    openTotals = new BoundedMap(CACHE_SIZE);
    // The hits are counted even if this fails.
    await sendScripts(link, [hitCall("begin", id, [today, total - amount])]);
    return total;
  }

  /** Undoes an addition that left the bounds of a counter, so that the total is as before. */
  async function undo({ id, amount }: Addition): Promise<Failure> {
    openTotals.delete(id);
    const [reply] = await sendScripts(link, [hitCall("undoIncrement", id, [amount])]);
    if (reply?.kind !== "done") return new Failure("outcome-unknown", { cause: reply?.cause });
    const total = Number(reply.value);
    return new Failure(total >= 0 && total <= MAX_HITS ? "counter-full" : "not-a-counter");
  }

  /** Returns the call of a script that uses the total and the ledger of a counter. */
  function hitCall(
    script: "add" | "begin" | "undoIncrement",
    id: CounterId,
    args: readonly number[],
  ): Command {
    return scriptCall(script, [prefix + id, relatedKey(prefix + id, "days")], args);
  }

  async function addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Failure)[]> {
    await retries;
    const { today, latest } = renew();
    const calls = additions.map(({ id, hits }) => {
      const total = prefix + id;
      const hasKeys = hits.some(({ key }) => key !== undefined);
      const hasVisitors = hits.some(({ visitor }) => visitor !== undefined);
      // Name no key in vain, because a missing one delays the script while its slot is being moved.
      const keys = [
        total,
        relatedKey(total, "days"),
        hasVisitors ? relatedKey(total, `seen${today}`) : total,
        hasKeys ? relatedKey(total, "epoch") : total,
      ];
      const args = hits.flatMap(({ key = "", visitor = "", remember }) => {
        return [key, visitor, remember === true ? 1 : 0];
      });
      return scriptCall("once", keys, [today, latest, secondsLeft(), ...args]);
    });
    const replies = await sendScripts(link, calls);
    return additions.map(({ id, hits }, index) => {
      const reply = replies[index];
      if (reply?.kind !== "done" || !Array.isArray(reply.value)) return failed(reply);
      const numbers = reply.value.map(Number);
      if (numbers.length > 2 * hits.length) onAhead(id);
      return hits.map((_, at): OnceOutcome => {
        return { hits: numbers[2 * at] ?? NaN, repeat: numbers[2 * at + 1] === 1 };
      });
    });
  }

  /** Returns the failure of hits. Another Redis may answer next, on which not every day is open. */
  function failed(reply: Reply | undefined): Failure {
    if (reply && isFailure(reply)) openTotals = new BoundedMap(CACHE_SIZE);
    return failureOf(reply, "outcome-unknown");
  }

  async function write(writes: readonly Write[]): Promise<readonly (CounterState | Failure)[]> {
    const forget = () => {
      for (const id of writes.flatMap(idsOf)) openTotals.delete(id);
    };
    forget();
    // Hits that were in flight may have cached a day that these writes have closed.
    return await swapEach(options, writes, hold).finally(forget);
  }

  /** Delays later hits until an attempt has ended. Resolves after they are sent. */
  async function hold<Value>(attempt: Promise<Value>): Promise<Value> {
    // Without a value, which would hold those of all attempts before.
    retries = Promise.allSettled([retries, attempt]).then(() => {});
    await retries;
    return await attempt;
  }

  /** Returns the salt of a day. The first caller creates it. Redis deletes it when the day ends. */
  async function salt(day: Day): Promise<string> {
    const key = `${SALT_PREFIX}${day}`;
    const salt = crypto.getRandomValues(new Uint8Array(16)).toHex();
    const [, reply] = await link.send([
      ["SET", key, salt, "NX", "EX", String(secondsLeft())],
      ["GET", key],
      ["DEL", `${SALT_PREFIX}${day - 1}`],
    ]);
    if (reply?.kind === "done" && typeof reply.value === "string") return reply.value;
    throw failureOf(reply, "store-unavailable");
  }

  /** Returns the seconds until the day ends, rounded up. */
  function secondsLeft(): number {
    return Math.ceil(calendar.msUntilMidnight() / 1000);
  }

  /** Asks for a first hit of a day, in a form that changes nothing. */
  async function probe({ key }: Shard): Promise<Reply | undefined> {
    const call = scriptCall("probe", [key, relatedKey(key, "days")], []);
    const [reply] = await withTimeout(PROBE_MS, sendScripts(link, [call])).catch(() => []);
    return reply;
  }

  return {
    add,
    addOnce,
    write,
    salt,
    read: (ids) => readTotals(options, ids),
    history: async (queries) =>
      (await readStates(options, queries)).map((state) => state ?? { hits: 0, days: undefined }),
    list: (query) => listCounters(options, query),
    async check() {
      const shards = link.shards(prefix);
      const replies = await Promise.all(shards.map(probe));
      const lacking = shards.filter((_, index) => replies[index]?.kind !== "done");
      if (lacking.length === shards.length) throw failureOf(replies[0], "store-unavailable");
      return lacking.map(({ name }) => name);
    },
    close: () => link.close(),
  };
}
