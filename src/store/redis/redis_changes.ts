import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { type Day, type Held, historyOf, upTo } from "../../counter/days.ts";
import type { OnceOutcome } from "../../counter/once.ts";
import type { Setting } from "../../counter/setting.ts";
import type { Addition, OnceAddition, Outcome, Write } from "../../counter/store.ts";
import type { Problem } from "../../problem.ts";
import { ledgerKey } from "./ledger_key.ts";
import { formatLedger, formatYear, heldOf, textsOf } from "./ledger_text.ts";
import type { RedisAdditions } from "./redis_additions.ts";
import type { RedisCalls } from "./redis_calls.ts";
import { isFailure, isForbiddenScript, problemOf, type Reply } from "./connection/reply.ts";
import { secondsLeft } from "./redis_salt.ts";
import { callOf, type Script, type ScriptCall, type Scripts } from "./script_calls.ts";
import type { Command } from "./connection/client.ts";

/** Options of {@linkcode RedisChanges}. */
export interface RedisChangesOptions {
  calls: RedisCalls;
  scripts: Scripts;
  additions: RedisAdditions;
  /** What stands before the id in a key. */
  prefix: string;
  calendar: Calendar;
  /** Called where the days of a counter are out of bounds. */
  onDamaged(id: CounterId): void;
}

/** Changes counters, each in one step that is carried out as a whole and fails alone. */
export class RedisChanges {
  readonly #options: RedisChangesOptions;

  constructor(options: RedisChangesOptions) {
    this.#options = options;
  }

  /** See {@linkcode CounterStore.add}. */
  async add(batch: readonly Addition[]): Promise<readonly Outcome[]> {
    const { additions, calendar } = this.#options;
    const day = calendar.today();
    const commands = batch.map((addition) => additions.commandFor(addition, day));
    const replies = await this.#write(commands, day);
    const outcomes = batch.map((addition, index) => {
      const command = commands[index];
      const reply = replies[index];
      if (command === undefined || reply?.kind !== "done") {
        return problemOf(reply, "outcome-unknown");
      }
      return additions.outcomeOf(addition, { day, command, total: Number(reply.value) });
    });
    // Mostly all are there: to wait for each would cost more than all the rest.
    return outcomes.every(isThere) ? outcomes : await Promise.all(outcomes);
  }

  /** See {@linkcode CounterStore.addOnce}. */
  async addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Problem)[]> {
    const { scripts, calendar } = this.#options;
    const day = calendar.today();
    const seconds = secondsLeft(calendar);
    const commands = additions.map(({ id, hits }) => {
      const marks = hits.flatMap(({ key = "", visitor = "", remember }) => {
        return [key, visitor, remember === true ? 1 : 0];
      });
      return this.#call(scripts.once, { id, args: [day, seconds, ...marks] });
    });
    const replies = await this.#write(commands, day);
    return additions.map((_, index) => {
      const reply = replies[index];
      return reply?.kind === "done"
        ? onceOutcomes(reply.value)
        : problemOf(reply, "outcome-unknown");
    });
  }

  /** See {@linkcode CounterStore.write}. */
  async write(writes: readonly Write[]): Promise<readonly (Held | Problem)[]> {
    const { additions, scripts, calendar, onDamaged } = this.#options;
    const day = calendar.today();
    const commands = writes.map(({ id, setting }) => {
      additions.forget(id);
      return setting === undefined
        ? this.#call(scripts.delete, { id, args: [day, newEpoch()] })
        : this.#call(scripts.set, { id, args: settingArguments(setting, day) });
    });
    try {
      const replies = await this.#write(commands, day);
      return writes.map(({ id }, index) => {
        const reply = replies[index];
        return reply?.kind === "done"
          ? heldOf(textsOf(reply.value), () => onDamaged(id))
          : problemOf(reply, "outcome-unknown");
      });
    } finally {
      // Hits that went before the writes may have been answered meanwhile, and remembered a day that these ended.
      for (const { id } of writes) additions.forget(id);
    }
  }

  #call(script: Script, { id, args }: { id: CounterId; args: ScriptCall["args"] }): Command {
    const key = this.#options.prefix + id;
    return callOf(script, { keys: [key, ledgerKey(key)], args });
  }

  async #write(commands: readonly Command[], day: Day): Promise<readonly Reply[]> {
    const { calls, additions } = this.#options;
    let failed = true;
    try {
      const replies = await calls.write(
        commands,
        (command, cause) =>
          isForbiddenScript(cause) ? additions.withoutScript(command, { day, cause }) : undefined,
      );
      failed = replies.some(isFailure);
      return replies;
    } finally {
      if (failed) additions.forgetAll();
    }
  }
}

function isThere<Value>(value: Value | Promise<Value>): value is Value {
  return !(value instanceof Promise);
}

/** No deletion of a counter is given that of another one, as far as anybody still has keys from before it. */
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

/** Days are told as they would be kept beside a total of 0. */
function settingArguments({ mode, hits, days }: Setting, day: Day): (string | number)[] {
  const total = hits ?? "";
  if (days === undefined) return [mode, day, total];
  const { ledger, years } = historyOf(upTo(days, day), 0);
  return [
    ...[mode, day, total, formatLedger(ledger)],
    ...years.flatMap((entry) => [entry.year, formatYear(entry)]),
  ];
}
