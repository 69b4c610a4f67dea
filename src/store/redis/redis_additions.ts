import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import { type Addition, MAX_HITS, type Outcome } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { createOpenDays } from "../open_days.ts";
import { ledgerKey } from "./ledger_key.ts";
import type { RedisCalls } from "./redis_calls.ts";
import { callOf, calls, type Scripts } from "./script_calls.ts";
import type { Command } from "./connection/client.ts";

/** Options of {@linkcode RedisAdditions}. */
export interface RedisAdditionsOptions {
  calls: RedisCalls;
  scripts: Scripts;
  /** What stands before the id in a key. */
  prefix: string;
}

/** Up to here a counter is far from full, and can be added to without a look at it. */
const FAR_FROM_FULL = MAX_HITS / 2;

/**
 * The forms of an addition. A script adds the first hit that this process sees of a counter on a day and opens that day;
 * from then on one plain command does. Where scripts are forbidden it always does.
 */
export class RedisAdditions {
  readonly #options: RedisAdditionsOptions;
  #open = createOpenDays();
  /** Additions that left the bounds of a counter and are being undone, by id. */
  readonly #takenBack = new Map<CounterId, number>();
  /** When scripts were found to be forbidden: another day may be luckier. */
  #forbiddenOn: Day | undefined;

  constructor(options: RedisAdditionsOptions) {
    this.#options = options;
  }

  /** The command that adds these hits on a day. */
  commandFor({ id, amount }: Addition, day: Day): Command {
    const isOpen = (this.#open.get(id) ?? -Infinity) >= day;
    return isOpen || this.#forbiddenOn === day
      ? ["INCRBY", this.#keyOf(id), String(amount)]
      : this.#scripted("add", id, [day, amount]);
  }

  /** The same without its script, which is forbidden; undefined for other commands. */
  withoutScript(
    command: Command,
    { day, cause }: { day: Day; cause: Error },
  ): Command | undefined {
    const [, , , key = "", , , amount = ""] = command;
    if (!calls(command, this.#options.scripts.add)) return undefined;
    this.#options.calls.tellForbidden(cause);
    this.#forbiddenOn = day;
    return ["INCRBY", key, amount];
  }

  /** What an addition came to that was carried out with this total. */
  outcomeOf(
    addition: Addition,
    { day, command, total }: { day: Day; command: Command; total: number },
  ): Outcome | Promise<Outcome> {
    const { id, amount } = addition;
    const isCount = total >= amount && total <= MAX_HITS;
    // On top of an addition that is not undone yet, this is no count either: Redis did both in this order.
    if (!isCount || this.#takenBack.has(id)) return this.#takeBack(addition);
    if (this.#forbiddenOn === day) return total;
    if (command[0] !== "INCRBY") {
      if (total < FAR_FROM_FULL) this.#open.set(id, day);
    } else if (total === amount) return this.#begin(addition, day);
    return total;
  }

  /** Knows no longer whether a counter is open. */
  forget(id: CounterId): void {
    this.#open.delete(id);
  }

  /** Knows no longer what is open: another Redis may answer next, which was not told of every day. */
  forgetAll(): void {
    this.#open = createOpenDays();
  }

  #keyOf(id: CounterId): string {
    return this.#options.prefix + id;
  }

  #scripted(name: "add" | "begin", id: CounterId, args: readonly number[]): Command {
    const key = this.#keyOf(id);
    return callOf(this.#options.scripts[name], { keys: [key, ledgerKey(key)], args });
  }

  /** After the first hits of a counter that somebody has deleted although its day is open: makes its ledger stay. */
  async #begin({ id, amount }: Addition, day: Day): Promise<Outcome> {
    // The hits are counted whatever becomes of this.
    await this.#options.calls.write([this.#scripted("begin", id, [day])]).catch(() => {});
    return amount;
  }

  /** Undoes an addition, so that the value is what it was before. */
  async #takeBack({ id, amount }: Addition): Promise<Problem> {
    this.forget(id);
    this.#takenBack.set(id, (this.#takenBack.get(id) ?? 0) + 1);
    try {
      const [reply] = await this.#options.calls.write([this.#inverse(id, amount)]);
      if (reply?.kind !== "done") return new Problem("outcome-unknown", { cause: reply?.cause });
      const total = Number(reply.value);
      return new Problem(total >= 0 && total <= MAX_HITS ? "counter-full" : "not-a-counter");
    } catch (cause) {
      // The rest of the batch is counted: this must not be taken for a failure of all of it.
      return new Problem("outcome-unknown", { cause });
    } finally {
      const left = (this.#takenBack.get(id) ?? 1) - 1;
      if (left > 0) this.#takenBack.set(id, left);
      else this.#takenBack.delete(id);
    }
  }

  #inverse(id: CounterId, amount: number): Command {
    const key = this.#keyOf(id);
    if (this.#forbiddenOn !== undefined) return ["INCRBY", key, String(-amount)];
    return callOf(this.#options.scripts.takeBack, { keys: [key], args: [amount] });
  }
}
