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
import { type CounterRecord, type Plan, planWrite } from "../planner.ts";
import { ledgerKey } from "./layout.ts";
import { type Command, isFailure, problemOf, type Reply } from "./reply.ts";
import type { RedisCommands } from "./scripts.ts";
import type { RedisSwap } from "./swap.ts";

/** A plain INCRBY is safe up to this total, because the counter is far from full. */
const MAX_PLAIN_TOTAL = MAX_HITS / 2;
/** Number of counters whose open day is remembered. Each takes some 80 bytes. A hit on any other is a script. */
const CACHE_SIZE = 100_000;

interface RedisChangesOptions {
  commands: RedisCommands;
  swap: RedisSwap;
  /** The beginning of every key of a counter. */
  prefix: string;
  calendar: Calendar;
}

/**
 * Changes counters, each as a whole and without an effect on others. The first hit of this process on a counter and a day is a
 * script, which opens that day. Later hits are plain INCRBYs. Opening days by compare-and-set took twice as long at midnight.
 */
export class RedisChanges {
  readonly #options: RedisChangesOptions;
  /** The latest day that counters are known to be open on. A day is never closed again, unless its counter is deleted. */
  #openDays = new BoundedMap<CounterId, Day>(CACHE_SIZE);
  /** The number of additions that left the bounds of a counter and are being undone, by id. */
  readonly #undoing = new Map<CounterId, number>();

  constructor(options: RedisChangesOptions) {
    this.#options = options;
  }

  /** See `CounterStore.add`. */
  async add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    const day = this.#options.calendar.today();
    const commands = additions.map(({ id, amount }): Command => {
      const isOpen = (this.#openDays.get(id) ?? -Infinity) >= day;
      return isOpen
        ? ["INCRBY", this.#options.prefix + id, String(amount)]
        : this.#call("add", { id, args: [day, amount] });
    });
    const replies = await this.#send(commands);
    const outcomes = additions.map((addition, index) => {
      const reply = replies[index];
      if (reply?.kind !== "done") return problemOf(reply, "outcome-unknown");
      const isPlain = commands[index]?.[0] === "INCRBY";
      return this.#outcomeOf(addition, { day, isPlain, total: Number(reply.value) });
    });
    // Hot path: nearly all are settled, and awaiting each would cost more than all the rest.
    return outcomes.every(isSettled) ? outcomes : await Promise.all(outcomes);
  }

  /** See `CounterStore.addOnce`. */
  async addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Problem)[]> {
    const { calendar } = this.#options;
    const start = [calendar.today(), secondsLeft(calendar)];
    const commands = additions.map(({ id, hits }) => {
      const keys = hits.flatMap(({ key = "", visitor = "", remember }) => {
        return [key, visitor, remember === true ? 1 : 0];
      });
      return this.#call("once", { id, args: [...start, ...keys] });
    });
    const replies = await this.#send(commands);
    return additions.map((_, index) => {
      const reply = replies[index];
      return reply?.kind === "done"
        ? onceOutcomes(reply.value)
        : problemOf(reply, "outcome-unknown");
    });
  }

  /** See `CounterStore.write`. */
  async write(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]> {
    const { calendar, swap } = this.#options;
    const day = calendar.today();
    for (const { id } of writes) this.#openDays.delete(id);
    try {
      return await swap.run(writes.map((write) => ({
        key: this.#options.prefix + write.id,
        plan(record: CounterRecord): Plan<CounterState> {
          const { result, writes } = planWrite(record, write.update, day);
          // A ledger without a total is left from a counter that was deleted.
          const isEmpty = !record.exists && !(result instanceof Problem);
          return { result: isEmpty ? { ...result, hits: 0, days: undefined } : result, writes };
        },
      })));
    } finally {
      // Hits that were sent before may have been answered since, and remembered a day that these writes ended.
      for (const { id } of writes) this.#openDays.delete(id);
    }
  }

  #call(
    script: "add" | "begin" | "once" | "undoIncrement",
    { id, args }: { id: CounterId; args: readonly (string | number)[] },
  ): Command {
    const key = this.#options.prefix + id;
    return this.#options.commands.call(script, { keys: [key, ledgerKey(key)], args });
  }

  async #send(commands: readonly Command[]): Promise<readonly Reply[]> {
    const replies = await this.#options.commands.send(commands);
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
    // While an earlier overflow is being undone, this total includes it and is invalid too.
    if (!isValid || this.#undoing.has(id)) return this.#undo(addition);
    if (!isPlain) {
      if (total < MAX_PLAIN_TOTAL) this.#openDays.set(id, day);
    } else if (total === amount) return this.#begin(addition, day);
    return total;
  }

  /** Keeps the ledger of a counter that another client deleted while this process knew its day to be open. */
  async #begin({ id, amount }: Addition, day: Day): Promise<Outcome> {
    // The hits are counted even if this fails.
    await this.#options.commands.send([this.#call("begin", { id, args: [day] })]);
    return amount;
  }

  /** Undoes an addition that left the bounds of a counter, so that the value is what it was before. */
  async #undo({ id, amount }: Addition): Promise<Problem> {
    const { commands } = this.#options;
    this.#openDays.delete(id);
    this.#undoing.set(id, (this.#undoing.get(id) ?? 0) + 1);
    try {
      const undo = this.#call("undoIncrement", { id, args: [amount] });
      const [reply] = await commands.send([undo]);
      if (reply?.kind !== "done") return new Problem("outcome-unknown", { cause: reply?.cause });
      const total = Number(reply.value);
      return new Problem(total >= 0 && total <= MAX_HITS ? "counter-full" : "not-a-counter");
    } finally {
      const left = (this.#undoing.get(id) ?? 1) - 1;
      if (left > 0) this.#undoing.set(id, left);
      else this.#undoing.delete(id);
    }
  }
}

/** Returns the seconds until the day ends, rounded up. */
export function secondsLeft(calendar: Calendar): number {
  return Math.ceil(calendar.msUntilMidnight() / 1000);
}

function isSettled<Value>(value: Value | Promise<Value>): value is Value {
  return !(value instanceof Promise);
}

/** Parses the reply of the script `once`: each number is followed by 1 if it is that of a repeat. */
function onceOutcomes(answers: unknown): readonly OnceOutcome[] {
  const outcomes: OnceOutcome[] = [];
  const list: readonly unknown[] = Array.isArray(answers) ? answers : [];
  for (let at = 0; at + 1 < list.length; at += 2) {
    outcomes.push({ hits: Number(list[at]), repeat: Number(list[at + 1]) === 1 });
  }
  return outcomes;
}
