import type { Day } from "../../counter/days.ts";
import type { KvDatabase } from "./kv_database.ts";
import type { KvRecord } from "./kv_records.ts";
import { type Change, type Plan, planOf } from "./plan.ts";

/** From how many counters on that are set together it is worth it. */
const MANY = 20;
/** How often counters are asked for after one was there. */
const TIMES_ASKED = 19;

/** What is taken to be known of a counter that nobody has asked for. */
const TAKEN_AS_NEW: KvRecord = { outcome: 0, versionstamp: null, openDay: -Infinity };

/** Whether a plan takes its counter to be new: that it is not there yet is not known before its commit. */
export function takesAsNew({ before }: Plan): boolean {
  return before === TAKEN_AS_NEW;
}

/**
 * Takes counters to be new that are set in great numbers, as those of an import mostly are: to ask for them first takes as
 * long as to write them. Their commit checks it. After one that was there all the same the next ones are asked for.
 */
export class Newcomers {
  #asking = 0;

  /** The plans for new counters; undefined where they have to be asked for. */
  plansFor(
    changes: readonly Change[],
    { database, today }: { database: KvDatabase; today: Day },
  ): Plan[] | undefined {
    const perhaps = changes.length >= MANY &&
      changes.every(({ kind, id }) => kind === "set" && database.known(id) === undefined);
    if (!perhaps || this.#asking > 0) {
      if (perhaps) this.#asking--;
      return undefined;
    }
    return changes.map((change) => planOf(change, TAKEN_AS_NEW, today));
  }

  /** One was there. */
  missed(): void {
    this.#asking = TIMES_ASKED;
  }
}
