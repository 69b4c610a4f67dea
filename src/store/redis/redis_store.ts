import { BoundedMap } from "../../bounded_map.ts";
import type { CounterId } from "../../domain/counter_id.ts";
import type { CounterState, Day } from "../../domain/history.ts";
import type { OnceOutcome } from "../../domain/once.ts";
import {
  type Addition,
  MAX_HITS,
  type OnceAddition,
  type OpenStore,
  type Outcome,
  withTimeout,
  type Write,
} from "../../domain/store.ts";
import { Failure } from "../../domain/errors.ts";
import { relatedKey } from "./redis_layout.ts";
import type { Shard, StoreLink } from "./node.ts";
import { listCounters, readStates, readTotals, type RedisStoreOptions } from "./reading.ts";
import { type Command, failureOf, isFailure, isRefused, type Reply } from "./reply.ts";
import { scriptCall, sendScripts } from "./scripts.ts";
import { swapEach } from "./writes.ts";

/** Largest total for which a plain INCRBY is used, because the counter is far from full. */
const MAX_PLAIN_TOTAL = MAX_HITS / 2;
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
export async function createRedisStore(given: RedisStoreOptions): Promise<OpenStore> {
  const options = { ...given, link: reportingLink(given) };
  const { link, prefix, calendar } = options;
  await checkRights(options);
  /**
   * The last totals of counters whose day is open on the server. A deletion, another server or
   * another database in its place may close it. Those that are missing need a script.
   */
  let openTotals = new BoundedMap<CounterId, number>(CACHE_SIZE);
  /** The day and the connection for which they hold. */
  let openDay: Day = -Infinity;
  let connectedAt = -Infinity;
  /** Settles when no change is tried again. */
  let held: Promise<unknown> = Promise.resolve();

  /** Forgets which days are open if the day or the connection is another one. Returns today. */
  function today(): Day {
    const day = calendar.today();
    if (day !== openDay || link.connectedAt !== connectedAt) {
      openTotals = new BoundedMap(CACHE_SIZE);
    }
    connectedAt = link.connectedAt;
    return openDay = day;
  }

  async function add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    await held;
    const day = today();
    const connection = connectedAt;
    const totals = openTotals;
    const knownBefore = additions.map(({ id }) => totals.get(id));
    const commands = additions.map(({ id, amount }, index): Command => {
      return knownBefore[index] === undefined
        ? hitCall("add", id, [day, amount])
        : ["INCRBY", prefix + id, String(amount)];
    });
    const replies = await send(commands);
    const isRenewed = link.connectedAt !== connection;
    const outcomes = additions.map((addition, index): Outcome | Promise<Outcome> => {
      const { id, amount } = addition;
      const reply = replies[index];
      if (isRefused(reply, "openAhead")) return addAgain(addition, add);
      if (reply?.kind !== "done") return failureOf(reply, "outcome-unknown");
      const total = Number(reply.value);
      if (total < amount || total > MAX_HITS) return undo(addition);
      const before = total - amount;
      const known = knownBefore[index];
      // The total was set or deleted since, or the data is that of another time.
      const isPlain = known !== undefined;
      if (isPlain && (isRenewed || before < known)) return begin(addition, day, total);
      if (total < MAX_PLAIN_TOTAL) totals.set(id, total);
      return total;
    });
    // Nearly all are settled. Awaiting each would cost more than all the rest.
    return outcomes.every((one): one is Outcome => !(one instanceof Promise))
      ? outcomes
      : await Promise.all(outcomes);
  }

  /** Opens the day of hits that were added although it may not have been open. */
  async function begin({ id, amount }: Addition, day: Day, total: number): Promise<Outcome> {
    openTotals = new BoundedMap(CACHE_SIZE);
    // The hits are counted even if this fails.
    await sendScripts(link, [hitCall("begin", id, [day, total - amount])]);
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
    await held;
    const day = today();
    const replies = await send(additions.map(({ id, hits }) => {
      const total = prefix + id;
      const hasKeys = hits.some(({ key }) => key !== undefined);
      const hasVisitors = hits.some(({ visitor }) => visitor !== undefined);
      // Name no key in vain, because a missing one delays the script while its slot is being moved.
      const keys = [
        total,
        relatedKey(total, "days"),
        hasVisitors ? relatedKey(total, `seen${day}`) : total,
        hasKeys ? relatedKey(total, "epoch") : total,
      ];
      const args = hits.flatMap(({ key = "", visitor = "", remember }) => {
        return [key, visitor, remember === true ? 1 : 0];
      });
      return scriptCall("once", keys, [day, secondsLeft(), ...args]);
    }));
    return await Promise.all(additions.map((addition, index) => {
      const reply = replies[index];
      if (isRefused(reply, "openAhead")) return addAgain(addition, addOnce);
      if (reply?.kind !== "done" || !Array.isArray(reply.value)) {
        return failureOf(reply, "outcome-unknown");
      }
      const numbers = reply.value.map(Number);
      return addition.hits.map((_, at): OnceOutcome => {
        return { hits: numbers[2 * at] ?? NaN, repeat: numbers[2 * at + 1] === 1 };
      });
    }));
  }

  async function send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = await sendScripts(link, commands);
    // Another Redis may answer next, on which not every day is open.
    if (replies.some(isFailure)) openTotals = new BoundedMap(CACHE_SIZE);
    return replies;
  }

  /** Ends a day that is ahead, by a set that keeps total and days. Then calls `add` again. */
  async function addAgain<One extends Pick<Addition, "id">, Result>(
    addition: One,
    add: (additions: readonly One[]) => Promise<readonly (Result | Failure)[]>,
  ): Promise<Result | Failure> {
    const update = { hits: undefined, days: undefined, mode: "max" } as const;
    const [ended] = await write([{ id: addition.id, update }]);
    const [outcome] = ended instanceof Failure ? [ended] : await add([addition]);
    return outcome ?? new Failure("outcome-unknown");
  }

  async function write(writes: readonly Write[]): Promise<readonly (CounterState | Failure)[]> {
    for (const { id } of writes) openTotals.delete(id);
    try {
      return await swapEach(options, writes, hold);
    } finally {
      // Hits that were in flight may have cached a day that these writes have closed.
      for (const { id } of writes) openTotals.delete(id);
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

  /**
   * Sends an addition without a number: Redis checks everything else first, then refuses it. The
   * deletion, of a key that never exists, shows whether replicas are missing.
   */
  async function takesHits({ key }: Shard): Promise<boolean> {
    const commands = [["INCRBY", key, "none"], ["DEL", relatedKey(key, "none")]];
    const replies = await withTimeout(PROBE_MS, link.send(commands)).catch(() => []);
    return isRefused(replies[0], "foreignValue") && replies[1]?.kind === "done";
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
      if (!takeHits.includes(true)) throw new Failure("store-unavailable");
      return shards.filter((_, index) => !takeHits[index]).map(({ name }) => name);
    },
    close: () => link.close(),
  };
}

/** Returns the link with a report of each refused key. */
function reportingLink({ link, prefix, onForbidden }: RedisStoreOptions): StoreLink {
  async function send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = await link.send(commands);
    replies.forEach((reply, at) => {
      if (!isRefused(reply, "missingKey")) return;
      for (const key of keysOf(commands[at] ?? [])) onForbidden(ruleFor(key, prefix));
    });
    return replies;
  }
  return {
    ...link,
    get connectedAt() {
      return link.connectedAt;
    },
    send,
  };
}

/** Returns the keys of a command, those that a script declares. */
function keysOf([name = "", ...args]: Command): readonly string[] {
  if (name.startsWith("EVAL")) return args.slice(2, 2 + Number(args[1]));
  return name === "MGET" ? args : args.slice(0, 1);
}

/** Returns the ACL rule for all keys of the kind of a key, see {@linkcode relatedKey}. */
function ruleFor(key: string, prefix: string): string {
  const start = [prefix, `{${prefix}`, SALT_PREFIX].find((start) => key.startsWith(start));
  return start === undefined ? `~{*}*:${prefix}*` : `~${start}*`;
}

/**
 * Throws an error that names the commands and keys that the Redis user lacks, or the flag that a
 * server like Redis lacks. Sends every command in a form that changes nothing, for counters that no
 * id can name. Other refusals and an unreachable Redis are not errors here, nor are the keys of ids
 * with a brace, which are few.
 */
async function checkRights({ link, prefix, onForbidden }: RedisStoreOptions): Promise<void> {
  const probe = `${prefix}\u0000`;
  const ledger = relatedKey(probe, "days");
  const braced = relatedKey(`${probe}}`, "days");
  const salt = `${SALT_PREFIX}\u0000`;
  const undeclared = "return redis.call('GET', ARGV[1])";
  const commands: readonly Command[] = [
    ...[probe, ledger, braced, salt].flatMap((key) => [["GET", key], ["SET", key, "", "XX"]]),
    ["MGET", probe],
    ["SCAN", "0", "COUNT", "1"],
    ["INCRBY", probe, "none"],
    ["SISMEMBER", ledger, ""],
    // Removed again by DEL, or after a second.
    ["SADD", ledger, ""],
    ["EXPIRE", ledger, "1"],
    ["DEL", ledger],
    ["EVALSHA", "0".repeat(40), "1", probe],
    ["EVAL", undeclared, "1", probe, relatedKey(probe, "once")],
  ];
  // Redis checks permissions before it redirects, so that any master of a cluster tells them.
  const [shard] = link.shards(prefix);
  const replies = await shard?.ask(commands) ?? [];
  if (replies.some((reply) => isRefused(reply, "undeclaredKey"))) {
    throw new Error(
      "The store refuses scripts with keys that they do not declare. " +
        "Start Dragonfly with --default_lua_flags=allow-undeclared-keys.",
    );
  }
  const missing = new Set<string>();
  let isUsable = true;
  replies.forEach((reply, at) => {
    if (!isRefused(reply, "missingRight")) return;
    const command = commands[at] ?? [];
    const key = command.findLast((arg) => arg.includes("\u0000")) ?? prefix;
    const isKey = isRefused(reply, "missingKey");
    missing.add(isKey ? ruleFor(key, prefix) : `+${command[0]?.toLowerCase()}`);
    isUsable &&= isKey && key === braced;
  });
  const rules = [...missing].join(" ");
  if (isUsable && rules !== "") onForbidden(rules);
  if (isUsable) return;
  throw new Error(
    `The Redis user lacks permissions. Run ACL SETUSER with these rules: ${rules}`,
  );
}
