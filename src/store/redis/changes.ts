import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { type CounterState, type Day, historyOf, padToDay } from "../../counter/days.ts";
import type { OnceOutcome } from "../../counter/once.ts";
import type { Update } from "../../counter/update.ts";
import {
  type Addition,
  MAX_HITS,
  type OnceAddition,
  type Outcome,
  type Write,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { BoundedMap } from "../../bounded_map.ts";
import type { RedisCommands } from "./commands.ts";
import type { Command } from "./connection/client.ts";
import { isFailure, isForbiddenScript, problemOf, type Reply } from "./connection/reply.ts";
import { formatLedger, formatYear, ledgerKey, parseHeld, parseSnapshot } from "./layout.ts";
import { callOf, isCallOf, type Script, type Scripts } from "./scripts.ts";

/** Up to here a counter is far from full, and a plain INCRBY is safe. */
const FAR_FROM_FULL = MAX_HITS / 2;
/** How many damaged ledgers are remembered; one that is forgotten is found again by the next reader. */
const MOST_DAMAGED = 100;
/** Of how many counters the open day is remembered for sure: a hit on any other runs a script. Each takes some 80 bytes. */
const OPEN_DAYS = 100_000;

interface RedisChangesOptions {
  commands: RedisCommands;
  scripts: Scripts;
  /** Stands before the id in a key. */
  prefix: string;
  calendar: Calendar;
  /** Called when the days of a counter are found out of bounds. */
  onDamaged(id: CounterId): void;
}

/**
 * Changes counters, each in one step that is carried out as a whole and fails alone.
 *
 * A script adds the first hit that this process sees of a counter on a day, and opens that day; from then on a plain INCRBY
 * does. If scripts are forbidden, it always does, and there are no days.
 */
export class RedisChanges {
  readonly #options: RedisChangesOptions;
  /** The latest day that counters are known to be open on; no day is closed again, unless its counter is deleted. */
  #openDays = new BoundedMap<CounterId, Day>(OPEN_DAYS);
  /** How many additions that left the bounds of a counter are being undone, by id. */
  readonly #undoing = new Map<CounterId, number>();
  /** Ledgers that a reader found out of bounds, as they were then. */
  readonly #damaged = new BoundedMap<CounterId, string>(MOST_DAMAGED);
  /** When scripts were found to be forbidden: on another day they may be allowed. */
  #forbiddenOn: Day | undefined;

  constructor(options: RedisChangesOptions) {
    this.#options = options;
  }

  /** Makes the next hits of a counter drop what is out of bounds in its ledger, if it is still this one by then. */
  repair(id: CounterId, ledger: string): void {
    this.#damaged.set(id, ledger);
    this.#openDays.delete(id);
  }

  /** See `CounterStore.add`. */
  async add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    const day = this.#options.calendar.today();
    const commands = additions.map((addition) => this.#additionOf(addition, day));
    const replies = await this.#write(commands, day);
    const outcomes = additions.map((addition, index) => {
      const command = commands[index];
      const reply = replies[index];
      if (command === undefined || reply?.kind !== "done") {
        return problemOf(reply, "outcome-unknown");
      }
      return this.#outcomeOf(addition, { day, command, total: Number(reply.value) });
    });
    // Hot path: nearly all are settled, and awaiting each would cost more than all the rest.
    return outcomes.every(isSettled) ? outcomes : await Promise.all(outcomes);
  }

  /** See `CounterStore.addOnce`. */
  async addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Problem)[]> {
    const { scripts, calendar } = this.#options;
    const day = calendar.today();
    const seconds = secondsLeft(calendar);
    const commands = additions.map(({ id, hits }) => {
      const keys = hits.flatMap(({ key = "", visitor = "", remember }) => {
        return [key, visitor, remember === true ? 1 : 0];
      });
      return this.#call(scripts.once, { id, args: [day, seconds, this.#takeDamaged(id), ...keys] });
    });
    const replies = await this.#write(commands, day);
    return additions.map((_, index) => {
      const reply = replies[index];
      return reply?.kind === "done"
        ? onceOutcomes(reply.value)
        : problemOf(reply, "outcome-unknown");
    });
  }

  /** See `CounterStore.write`. */
  async write(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]> {
    const { scripts, calendar, onDamaged } = this.#options;
    const day = calendar.today();
    const commands = writes.map(({ id, update }) => {
      this.#openDays.delete(id);
      return update === undefined
        ? this.#call(scripts.delete, { id, args: [day, newEpoch()] })
        : this.#call(scripts.set, { id, args: updateArguments(update, day) });
    });
    try {
      const replies = await this.#write(commands, day);
      return writes.map(({ id }, index) => {
        const reply = replies[index];
        return reply?.kind === "done"
          ? parseHeld(parseSnapshot(reply.value), () => onDamaged(id))
          : problemOf(reply, "outcome-unknown");
      });
    } finally {
      // Hits that went before the writes may have been answered meanwhile, and remembered a day that these ended.
      for (const { id } of writes) this.#openDays.delete(id);
    }
  }

  #additionOf({ id, amount }: Addition, day: Day): Command {
    const isOpen = (this.#openDays.get(id) ?? -Infinity) >= day;
    return isOpen || this.#forbiddenOn === day
      ? ["INCRBY", this.#options.prefix + id, String(amount)]
      : this.#call(this.#options.scripts.add, { id, args: [day, amount, this.#takeDamaged(id)] });
  }

  #call(
    script: Script,
    { id, args }: { id: CounterId; args: readonly (string | number)[] },
  ): Command {
    const key = this.#options.prefix + id;
    return callOf(script, { keys: [key, ledgerKey(key)], args });
  }

  async #write(commands: readonly Command[], day: Day): Promise<readonly Reply[]> {
    let failed = true;
    try {
      const replies = await this.#options.commands.write(
        commands,
        (command, cause) => this.#withoutScript(command, { day, cause }),
      );
      failed = replies.some(isFailure);
      return replies;
    } finally {
      // Another Redis may answer next, on which not every day was opened.
      if (failed) this.#openDays = new BoundedMap(OPEN_DAYS);
    }
  }

  /** An addition without its script, which is forbidden. */
  #withoutScript(
    command: Command,
    { day, cause }: { day: Day; cause: Error },
  ): Command | undefined {
    const { scripts, commands } = this.#options;
    if (!isForbiddenScript(cause) || !isCallOf(command, scripts.add)) return undefined;
    commands.reportForbidden(cause);
    this.#forbiddenOn = day;
    const [, , , key = "", , , amount = ""] = command;
    return ["INCRBY", key, amount];
  }

  /** The ledger of a counter that its next hits are to repair; empty if there is none. */
  #takeDamaged(id: CounterId): string {
    const ledger = this.#damaged.get(id);
    if (ledger !== undefined) this.#damaged.delete(id);
    return ledger ?? "";
  }

  /** The outcome of an addition that Redis carried out, with this total. */
  #outcomeOf(
    addition: Addition,
    { day, command, total }: { day: Day; command: Command; total: number },
  ): Outcome | Promise<Outcome> {
    const { id, amount } = addition;
    const isCount = total >= amount && total <= MAX_HITS;
    // On top of an addition that is not undone yet, this is no count either: Redis did both in this order.
    if (!isCount || this.#undoing.has(id)) return this.#undo(addition);
    if (this.#forbiddenOn === day) return total;
    if (command[0] !== "INCRBY") {
      if (total < FAR_FROM_FULL) this.#openDays.set(id, day);
    } else if (total === amount) return this.#begin(addition, day);
    return total;
  }

  /** Keeps the ledger of a counter that somebody has deleted while this process knew its day to be open. */
  async #begin({ id, amount }: Addition, day: Day): Promise<Outcome> {
    const { scripts, commands } = this.#options;
    // The hits are counted whatever becomes of this.
    await commands.write([this.#call(scripts.begin, { id, args: [day] })]).catch(() => {});
    return amount;
  }

  /** Undoes an addition that left the bounds of a counter, so that the value is what it was before. */
  async #undo({ id, amount }: Addition): Promise<Problem> {
    this.#openDays.delete(id);
    this.#undoing.set(id, (this.#undoing.get(id) ?? 0) + 1);
    try {
      const [reply] = await this.#options.commands.write([this.#inverseOf(id, amount)]);
      if (reply?.kind !== "done") return new Problem("outcome-unknown", { cause: reply?.cause });
      const total = Number(reply.value);
      return new Problem(total >= 0 && total <= MAX_HITS ? "counter-full" : "not-a-counter");
    } catch (cause) {
      // The rest of the batch is counted: this must not be taken for a failure of all of it.
      return new Problem("outcome-unknown", { cause });
    } finally {
      const left = (this.#undoing.get(id) ?? 1) - 1;
      if (left > 0) this.#undoing.set(id, left);
      else this.#undoing.delete(id);
    }
  }

  #inverseOf(id: CounterId, amount: number): Command {
    const key = this.#options.prefix + id;
    if (this.#forbiddenOn !== undefined) return ["INCRBY", key, String(-amount)];
    return callOf(this.#options.scripts.undoIncrement, { keys: [key], args: [amount] });
  }
}

/** How long Redis shall keep what ends with the day. */
export function secondsLeft(calendar: Calendar): number {
  return Math.ceil(calendar.msUntilMidnight() / 1000);
}

function isSettled<Value>(value: Value | Promise<Value>): value is Value {
  return !(value instanceof Promise);
}

/** Identifies a deletion: idempotency keys that are set after it have this in their name. */
function newEpoch(): string {
  return crypto.getRandomValues(new Uint8Array(6)).toHex();
}

/** Each number is followed by whether it was counted already. */
function onceOutcomes(answers: unknown): OnceOutcome[] {
  const outcomes: OnceOutcome[] = [];
  const list: readonly unknown[] = Array.isArray(answers) ? answers : [];
  for (let at = 0; at + 1 < list.length; at += 2) {
    outcomes.push({ hits: Number(list[at]), repeat: Number(list[at + 1]) === 1 });
  }
  return outcomes;
}

/** Days are passed in the form that they would have beside a total of 0. */
function updateArguments({ mode, hits, days }: Update, day: Day): (string | number)[] {
  const total = hits ?? "";
  if (days === undefined) return [mode, day, total];
  const { ledger, years } = historyOf(padToDay(days, day), 0);
  return [
    ...[mode, day, total, formatLedger(ledger)],
    ...years.flatMap((entry) => [entry.year, formatYear(entry)]),
  ];
}
