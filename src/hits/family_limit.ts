import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";

export interface FamilyLimitOptions {
  counters: Counters;
  /** Maximum number of counters that the key of a prefix may create per process and day. */
  limit: number;
  /** The credential that created the counters, for the log. */
  by: string;
  metrics: Metrics;
  log: Log;
}

/** A limit of new counters, because keys of prefixes are public and could fill the store. */
export interface FamilyLimit {
  /**
   * Counts a hit that the key of a prefix authorized. Rejects with `family-full` if the limit is
   * reached and the counter does not exist. Hits in flight when the limit is reached still count.
   */
  count<Result>(
    hit: { id: CounterId; family: string },
    count: () => Promise<Result>,
  ): Promise<Result>;
}

export function createFamilyLimit(
  { counters, limit, by, metrics, log }: FamilyLimitOptions,
): FamilyLimit {
  const created = new Map<string, number>();
  const reported = new Set<string>();
  let day = counters.calendar.today();

  function createdToday(family: string): number {
    const today = counters.calendar.today();
    if (today !== day) {
      created.clear();
      reported.clear();
    }
    day = today;
    return created.get(family) ?? 0;
  }

  /** Reports whether a counter exists. One that its owner set to 0 has days. */
  async function exists(id: CounterId): Promise<boolean> {
    if (await counters.count(id) > 0) return true;
    return (await counters.history(id, day)).days !== undefined;
  }

  function refuse(family: string): never {
    metrics.familyFull++;
    if (!reported.has(family)) {
      reported.add(family);
      log.warn(
        `${by} has reached its limit of new counters for today: hits on other new counters return 403`,
        { family, limit },
      );
    }
    throw new Problem("family-full");
  }

  return {
    async count({ id, family }, count) {
      if (createdToday(family) >= limit && !await exists(id)) refuse(family);
      const result = await count();
      if (result === 1) created.set(family, createdToday(family) + 1);
      return result;
    },
  };
}
