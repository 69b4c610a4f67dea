import { type Day, historyOf, upTo } from "../../counter/days.ts";
import type { OnceOutcome } from "../../counter/once.ts";
import type { Addition, Change, ChangeOutcome, Replacement } from "../../counter/store.ts";
import { ledgerKey } from "./ledger_key.ts";
import { formatLedger, formatYear, heldOf, textsOf } from "./ledger_text.ts";
import type { RedisAdditions } from "./redis_additions.ts";
import type { RedisCalls } from "./redis_calls.ts";
import { isFailure, problemOf, type Reply } from "./redis_reply.ts";
import { callOf, isForbiddenScript, type Scripts } from "./script_calls.ts";
import type { Command } from "./store_link.ts";

/** Options of {@linkcode RedisChanges}. */
export interface RedisChangesOptions {
  calls: RedisCalls;
  scripts: Scripts;
  additions: RedisAdditions;
  /** What stands before the id in a key. */
  prefix: string;
  today: () => Day;
}

/** Changes counters, each in one step that is carried out as a whole and fails alone. */
export class RedisChanges {
  readonly #options: RedisChangesOptions;

  constructor(options: RedisChangesOptions) {
    this.#options = options;
  }

  /** See {@linkcode CounterStore.change}. */
  async change(changes: readonly Change[]): Promise<readonly ChangeOutcome[]> {
    const { additions, today } = this.#options;
    const day = today();
    const commands = changes.map((change) => this.#commandFor(change, day));
    const replies = await this.#write(commands, day);
    const outcomes = changes.map((change, index) => {
      const command = commands[index];
      const reply = replies[index];
      if (command === undefined || reply?.kind !== "done") {
        return problemOf(reply, "outcome-unknown");
      }
      if (change.kind === "once") return onceOutcomes(reply.value);
      if (change.kind !== "add") return heldOf(textsOf(reply.value));
      return additions.outcomeOf(change, { day, command, total: Number(reply.value) });
    });
    // Mostly all are there: to wait for each would cost more than all the rest.
    return outcomes.every(isThere) ? outcomes : await Promise.all(outcomes);
  }

  #commandFor(change: Change, day: Day): Command {
    const { additions, scripts, prefix } = this.#options;
    if (change.kind === "add") return additions.commandFor(change, day);
    if (change.kind !== "once") additions.forget(change.id);
    const key = prefix + change.id;
    return callOf(scripts[change.kind], {
      keys: [key, ledgerKey(key)],
      args: argumentsOf(change, day),
    });
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

function argumentsOf(
  change: Exclude<Change, Addition>,
  day: Day,
): readonly (string | number)[] {
  if (change.kind === "set") return settingArguments(change, day);
  if (change.kind === "delete") return [day];
  const marks = change.hits.flatMap(({ key = "", visitor = "", remember }) => {
    return [key, visitor, remember === true ? 1 : 0];
  });
  return [day, ...marks];
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
function settingArguments({ mode, hits, days }: Replacement, day: Day): (string | number)[] {
  if (days === undefined) return [mode, day, hits];
  const { ledger, years } = historyOf(upTo(days, day), 0);
  return [
    ...[mode, day, hits, formatLedger(ledger)],
    ...years.flatMap((entry) => [entry.year, formatYear(entry)]),
  ];
}
