import { BoundedMap } from "../../bounded_map.ts";
import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { CounterState, Day } from "../../counter/days.ts";
import type { OnceOutcome } from "../../counter/once.ts";
import {
  type Addition,
  MAX_HITS,
  type OnceAddition,
  type Outcome,
  type Write,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { relatedKey } from "./layout.ts";
import type { RedisStoreOptions } from "./reading.ts";
import { type Command, isFailure, problemOf, type Reply } from "./reply.ts";
import { scriptCall, sendScripts } from "./scripts.ts";
import type { RedisSwap } from "./swap.ts";

/** Largest total for which a plain INCRBY is used, because the counter is far from full. */
const MAX_PLAIN_TOTAL = MAX_HITS / 2;
/** Number of counters whose open day is cached, 80 bytes each. Hits on others need a script. */
const CACHE_SIZE = 100_000;

/**
 * Changes counters, each as a whole and without an effect on others. The first hit of this process
 * on a counter and a day is a script, which opens that day. Later hits are plain INCRBYs. Opening
 * days by compare-and-set took twice as long at midnight.
 */
export class RedisChanges {
  readonly #options: RedisStoreOptions;
  readonly #swap: RedisSwap;
  /** The latest day that is known to be open. Only a deletion of the counter closes it again. */
  #openDays = new BoundedMap<CounterId, Day>(CACHE_SIZE);

  constructor(options: RedisStoreOptions, swap: RedisSwap) {
    this.#options = options;
    this.#swap = swap;
  }

  /** See `CounterStore.add`. */
  async add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    const { prefix, calendar } = this.#options;
    const day = calendar.today();
    const commands = additions.map(({ id, amount }): Command => {
      const isOpen = (this.#openDays.get(id) ?? -Infinity) >= day;
      return isOpen
        ? ["INCRBY", prefix + id, String(amount)]
        : hitCall("add", prefix + id, [day, amount]);
    });
    const replies = await this.#send(commands);
    const outcomes = additions.map((addition, index) => {
      const reply = replies[index];
      if (reply?.kind !== "done") return problemOf(reply, "outcome-unknown");
      const isPlain = commands[index]?.[0] === "INCRBY";
      return this.#outcomeOf(addition, { day, isPlain, total: Number(reply.value) });
    });
    // Nearly all are settled. Awaiting each would cost more than all the rest.
    return outcomes.every(isSettled) ? outcomes : await Promise.all(outcomes);
  }

  /** See `CounterStore.addOnce`. */
  async addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Problem)[]> {
    const { prefix, calendar } = this.#options;
    const today = calendar.today();
    const replies = await this.#send(additions.map(({ id, hits }) => {
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
      return scriptCall("once", keys, [today, secondsLeft(calendar), ...args]);
    }));
    return additions.map((_, index) => {
      const reply = replies[index];
      return reply?.kind === "done"
        ? onceOutcomes(reply.value)
        : problemOf(reply, "outcome-unknown");
    });
  }

  /** See `CounterStore.write`. */
  async write(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]> {
    for (const { id } of writes) this.#openDays.delete(id);
    try {
      return await this.#swap.write(writes);
    } finally {
      // Hits that were in flight may have cached a day that these writes have closed.
      for (const { id } of writes) this.#openDays.delete(id);
    }
  }

  async #send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = await sendScripts(this.#options.link, commands);
    // Another Redis may answer next, on which not every day is open.
    if (replies.some(isFailure)) this.#openDays = new BoundedMap(CACHE_SIZE);
    return replies;
  }

  /** Returns the outcome of an addition that Redis carried out with this total. */
  #outcomeOf(
    addition: Addition,
    { day, isPlain, total }: { day: Day; isPlain: boolean; total: number },
  ): Outcome | Promise<Outcome> {
    const { id, amount } = addition;
    const isValid = total >= amount && total <= MAX_HITS;
    if (!isValid) return this.#undo(addition);
    if (isPlain) return total === amount ? this.#begin(addition, day) : total;
    if (total < MAX_PLAIN_TOTAL) this.#openDays.set(id, day);
    return total;
  }

  /** Stores the ledger of a counter that another client deleted while its day was open here. */
  async #begin({ id, amount }: Addition, day: Day): Promise<Outcome> {
    const { link, prefix } = this.#options;
    // The hits are counted even if this fails.
    await sendScripts(link, [hitCall("begin", prefix + id, [day])]);
    return amount;
  }

  /** Undoes an addition that left the bounds of a counter, so that the total is as before. */
  async #undo({ id, amount }: Addition): Promise<Problem> {
    const { link, prefix } = this.#options;
    this.#openDays.delete(id);
    const [reply] = await sendScripts(link, [hitCall("undoIncrement", prefix + id, [amount])]);
    if (reply?.kind !== "done") return new Problem("outcome-unknown", { cause: reply?.cause });
    const total = Number(reply.value);
    return new Problem(total >= 0 && total <= MAX_HITS ? "counter-full" : "not-a-counter");
  }
}

/** Returns the call of a script that uses the total and the ledger of a counter. */
function hitCall(
  script: "add" | "begin" | "undoIncrement",
  key: string,
  args: readonly number[],
): Command {
  return scriptCall(script, [key, relatedKey(key, "days")], args);
}

/** Returns the seconds until the day ends, rounded up. */
export function secondsLeft(calendar: Calendar): number {
  return Math.ceil(calendar.msUntilMidnight() / 1000);
}

function isSettled<Value>(value: Value | Promise<Value>): value is Value {
  return !(value instanceof Promise);
}

/** Parses the reply of the script `once`. */
function onceOutcomes(reply: unknown): readonly OnceOutcome[] {
  const outcomes: OnceOutcome[] = [];
  const list: readonly unknown[] = Array.isArray(reply) ? reply : [];
  for (let at = 0; at + 1 < list.length; at += 2) {
    outcomes.push({ hits: Number(list[at]), repeat: Number(list[at + 1]) === 1 });
  }
  return outcomes;
}
