import { BoundedMap } from "../../bounded_map.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { CounterState, Day } from "../../counter/history.ts";
import type { OnceOutcome } from "../../counter/once.ts";
import {
  type Addition,
  MAX_HITS,
  type OnceAddition,
  type OpenStore,
  type Outcome,
  withTimeout,
  type Write,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { relatedKey } from "./redis_layout.ts";
import type { Shard, StoreLink } from "./node.ts";
import { listCounters, readStates, readTotals, type RedisStoreOptions } from "./reading.ts";
import { type Command, isFailure, isRefused, problemOf, type Reply } from "./reply.ts";
import { scriptCall, sendScripts } from "./scripts.ts";
import { swapEach } from "./writes.ts";

/** Largest total for which a plain INCRBY is used, because the counter is far from full. */
const MAX_PLAIN_TOTAL = MAX_HITS / 2;
/** Number of counters whose open day is cached, 80 bytes each. Hits on others need a script. */
const CACHE_SIZE = 100_000;
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
export async function createRedisStore(options: RedisStoreOptions): Promise<OpenStore> {
  const { link, prefix, calendar } = options;
  await checkRights(link, prefix);
  /** The latest day that is known to be open. Only a deletion of the counter closes it again. */
  let openDays = new BoundedMap<CounterId, Day>(CACHE_SIZE);
  /** Settles when no change is tried again. */
  let held: Promise<unknown> = Promise.resolve();

  async function add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    const day = calendar.today();
    const commands = additions.map(({ id, amount }): Command => {
      const isOpen = (openDays.get(id) ?? -Infinity) >= day;
      return isOpen ? ["INCRBY", prefix + id, String(amount)] : hitCall("add", id, [day, amount]);
    });
    const replies = await send(commands);
    const outcomes = additions.map((addition, index): Outcome | Promise<Outcome> => {
      const { id, amount } = addition;
      const reply = replies[index];
      if (reply?.kind !== "done") return problemOf(reply, "outcome-unknown");
      const total = Number(reply.value);
      if (total < amount || total > MAX_HITS) return undo(addition);
      if (commands[index]?.[0] !== "INCRBY") {
        if (total < MAX_PLAIN_TOTAL) openDays.set(id, day);
      } else if (total === amount) return begin(addition, day);
      return total;
    });
    // Nearly all are settled. Awaiting each would cost more than all the rest.
    return outcomes.every((one): one is Outcome => !(one instanceof Promise))
      ? outcomes
      : await Promise.all(outcomes);
  }

  /** Stores the ledger of a counter that another client deleted while its day was open here. */
  async function begin({ id, amount }: Addition, day: Day): Promise<Outcome> {
    // The hits are counted even if this fails.
    await sendScripts(link, [hitCall("begin", id, [day])]);
    return amount;
  }

  /** Undoes an addition that left the bounds of a counter, so that the total is as before. */
  async function undo({ id, amount }: Addition): Promise<Problem> {
    openDays.delete(id);
    const [reply] = await sendScripts(link, [hitCall("undoIncrement", id, [amount])]);
    if (reply?.kind !== "done") return new Problem("outcome-unknown", { cause: reply?.cause });
    const total = Number(reply.value);
    return new Problem(total >= 0 && total <= MAX_HITS ? "counter-full" : "not-a-counter");
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
  ): Promise<readonly (readonly OnceOutcome[] | Problem)[]> {
    const today = calendar.today();
    const replies = await send(additions.map(({ id, hits }) => {
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
      return scriptCall("once", keys, [today, secondsLeft(), ...args]);
    }));
    return additions.map(({ hits }, index) => {
      const reply = replies[index];
      if (reply?.kind !== "done" || !Array.isArray(reply.value)) {
        return problemOf(reply, "outcome-unknown");
      }
      const numbers = reply.value.map(Number);
      return hits.map((_, at): OnceOutcome => {
        return { hits: numbers[2 * at] ?? NaN, repeat: numbers[2 * at + 1] === 1 };
      });
    });
  }

  async function send(commands: readonly Command[]): Promise<readonly Reply[]> {
    await held;
    const replies = await sendScripts(link, commands);
    // Another Redis may answer next, on which not every day is open.
    if (replies.some(isFailure)) openDays = new BoundedMap(CACHE_SIZE);
    return replies;
  }

  async function write(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]> {
    for (const { id } of writes) openDays.delete(id);
    try {
      return await swapEach(options, writes, hold);
    } finally {
      // Hits that were in flight may have cached a day that these writes have closed.
      for (const { id } of writes) openDays.delete(id);
    }
  }

  /** Delays later hits until an attempt has ended. Resolves after they are sent. */
  async function hold<Value>(attempt: Promise<Value>): Promise<Value> {
    // Without a value, which would hold those of all attempts before.
    held = Promise.allSettled([held, attempt]).then(() => {});
    await held;
    return await attempt;
  }

  /**
   * The salt of a day, made by the first process that needs it; Redis removes it when the day ends.
   */
  async function salt(day: Day): Promise<string> {
    const key = `tallymark:salt:${day}`;
    const salt = crypto.getRandomValues(new Uint8Array(16)).toHex();
    const [, reply] = await link.send([
      ["SET", key, salt, "NX", "EX", String(secondsLeft())],
      ["GET", key],
      ["DEL", `tallymark:salt:${day - 1}`],
    ]);
    if (reply?.kind === "done" && typeof reply.value === "string") return reply.value;
    throw problemOf(reply, "store-unavailable");
  }

  /** Returns the seconds until the day ends, rounded up. */
  function secondsLeft(): number {
    return Math.ceil(calendar.msUntilMidnight() / 1000);
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
      const takeHits = await Promise.all(shards.map(takesHits));
      if (!takeHits.includes(true)) throw new Problem("store-unavailable");
      return shards.filter((_, index) => !takeHits[index]).map(({ name }) => name);
    },
    close: () => link.close(),
  };
}

/**
 * Throws an error that names the commands and keys that the Redis user lacks. Sends every command
 * in a form that changes nothing, for a counter that no id can name. Other refusals and an
 * unreachable Redis are not errors here.
 */
async function checkRights(link: Pick<StoreLink, "shards">, prefix: string): Promise<void> {
  const probe = `${prefix}\u0000`;
  const ledger = relatedKey(probe, "days");
  const salt = "tallymark:salt:\u0000";
  const commands: readonly Command[] = [
    ...[probe, ledger, salt].flatMap((key) => [["GET", key], ["SET", key, "", "XX"]]),
    ["MGET", probe],
    ["SCAN", "0", "COUNT", "1"],
    ["INCRBY", probe, "none"],
    ["SISMEMBER", ledger, ""],
    // Removed again by DEL, or after a second.
    ["SADD", ledger, ""],
    ["EXPIRE", ledger, "1"],
    ["DEL", ledger],
    ["EVALSHA", "0".repeat(40), "1", probe],
    ["EVAL", "return 1", "1", probe],
  ];
  // Redis checks permissions before it redirects, so that any master of a cluster tells them.
  const [shard] = link.shards(prefix);
  const replies = await shard?.ask(commands) ?? [];
  const missing = new Set<string>();
  replies.forEach((reply, at) => {
    if (!isRefused(reply, "missingRight")) return;
    const [name = "", ...args] = commands[at] ?? [];
    const [start] = args.find((arg) => arg.includes("\u0000"))?.split("\u0000") ?? [prefix];
    const isCommand = /command/.test(reply.cause.message);
    missing.add(isCommand ? `+${name.toLowerCase()}` : `~${start}*`);
  });
  if (missing.size === 0) return;
  const rules = [...missing].join(" ");
  throw new Error(
    `The Redis user lacks permissions. Run ACL SETUSER with these rules: ${rules}`,
  );
}
