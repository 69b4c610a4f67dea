import { Problem, type ProblemName } from "../../problem.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { within } from "../../counter/within.ts";
import { isFailure, isForeignValue, type Reply } from "./redis_reply.ts";
import { type Addition, type CounterStore, MAX_HITS, type Outcome } from "../../counter/store.ts";
import { additionsOf } from "../additions.ts";
import type { Command, Shard, StoreLink } from "./store_link.ts";

/** Options of {@linkcode createRedisStore}. */
export interface RedisStoreOptions {
  link: StoreLink;
  /** What stands before the id in a key. */
  prefix: string;
}

/** On a link with latency, hits that arrive while a batch is under way need not wait for its return. */
export const REDIS_BATCHES = { batches: 4, idsPerBatch: 1000 };

/** How long one shard may take to show that it takes hits: one that hangs must not speak for the others. */
const PROBE_MS = 800;

/**
 * Counters in Redis: the key is prefix + id and holds a plain integer.
 *
 * Commands of a batch are independent of each other (no MULTI), so that one bad key fails alone.
 */
export function createRedisStore({ link, prefix }: RedisStoreOptions): CounterStore {
  /** Sends commands that change counters. */
  async function write(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = await link.send(commands);
    const failure = replies.find(isFailure);
    if (failure === undefined) link.health.well();
    else if (failure.kind === "refused") link.health.unwritable(failure.cause);
    else link.health.away(failure.cause);
    return replies;
  }

  /** Sends commands that change nothing. */
  async function ask(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = await link.send(commands);
    const failure = replies.find(isFailure);
    if (failure === undefined) link.health.readable();
    else link.health.away(failure.cause);
    return replies;
  }

  /** Additions that left the bounds of a counter and are being undone, by id. */
  const takenBack = new Map<CounterId, number>();

  /** Undoes an addition, so that the value is what it was before. */
  async function takeBack({ id, amount }: Addition): Promise<Problem> {
    takenBack.set(id, (takenBack.get(id) ?? 0) + 1);
    try {
      const [reply] = await write([["INCRBY", prefix + id, String(-amount)]]);
      if (reply?.kind !== "done") return new Problem("outcome-unknown", { cause: reply?.cause });
      return new Problem(isCounter(Number(reply.value)) ? "counter-full" : "not-a-counter");
    } catch (cause) {
      // The rest of the batch is counted: this must not be taken for a failure of all of it.
      return new Problem("outcome-unknown", { cause });
    } finally {
      const left = (takenBack.get(id) ?? 1) - 1;
      if (left > 0) takenBack.set(id, left);
      else takenBack.delete(id);
    }
  }

  /** One MGET costs far less than many GETs, but shows a list as it shows nothing: what it does not show is to be read by itself. */
  async function readTogether(keys: readonly string[]): Promise<readonly unknown[]> {
    if (keys.length === 1 || !link.together) return [];
    const [reply] = await link.send([["MGET", ...keys]]);
    if (reply?.kind !== "done" || !Array.isArray(reply.value)) return [];
    link.health.readable();
    return reply.value;
  }

  /** Asks for all that a hit has to pass and then is refused, as it names no number: nothing is written. */
  async function takesHits({ key }: Shard): Promise<boolean> {
    try {
      const [reply] = await within(PROBE_MS, write([["INCRBY", key, "none"]]));
      return reply?.kind === "refused" && !isFailure(reply);
    } catch {
      return false;
    }
  }

  return {
    source: "redis",
    ...REDIS_BATCHES,
    async change(given) {
      const changes = additionsOf(given);
      const replies = await write(
        changes.map(({ id, amount }) => ["INCRBY", prefix + id, String(amount)]),
      );
      return Promise.all(replies.map((reply, index) => {
        const change = changes[index];
        if (change === undefined || reply.kind !== "done") {
          return problemOf(reply, "outcome-unknown");
        }
        const total = Number(reply.value);
        const isCount = total >= change.amount && total <= MAX_HITS;
        // On top of an addition that is not undone yet, this is no count either: Redis did both in this order.
        return isCount && !takenBack.has(change.id) ? total : takeBack(change);
      }));
    },
    async read(ids) {
      const keys = ids.map((id) => prefix + id);
      const shown = await readTogether(keys);
      const hidden = keys.filter((_, index) => typeof shown[index] !== "string");
      const replies = hidden.length > 0 ? await ask(hidden.map((key) => ["GET", key])) : [];
      let next = 0;
      return keys.map((_, index) => {
        const text = shown[index];
        return typeof text === "string" ? counterOf(text) : outcomeOf(replies[next++]);
      });
    },
    history: () => Promise.reject(new Problem("store-unavailable")),
    list() {
      throw new Problem("store-unavailable");
    },
    async check() {
      const shards = link.shards(prefix);
      const takeHits = await Promise.all(shards.map(takesHits));
      if (!takeHits.includes(true)) throw new Problem("store-unavailable");
      return shards.filter((_, index) => !takeHits[index]).map(({ name }) => name);
    },
    close: () => link.close(),
  };
}

const COUNTER = /^(?:0|[1-9]\d{0,15})$/;

function outcomeOf(reply: Reply | undefined): Outcome {
  if (reply?.kind !== "done") return problemOf(reply, "store-unavailable");
  return reply.value === null ? 0 : counterOf(String(reply.value));
}

function counterOf(text: string): Outcome {
  return COUNTER.test(text) && isCounter(Number(text))
    ? Number(text)
    : new Problem("not-a-counter");
}

function isCounter(number: number): boolean {
  return number >= 0 && number <= MAX_HITS;
}

/** What a command that was not carried out means for its callers; `lost` where no reply came. */
function problemOf(reply: Reply | undefined, lost: ProblemName): Problem {
  if (reply === undefined || reply.kind === "done") return new Problem(lost);
  const { kind, cause } = reply;
  if (kind === "lost") return new Problem(lost, { cause });
  return new Problem(isForeignValue(cause) ? "not-a-counter" : "store-unavailable", { cause });
}
