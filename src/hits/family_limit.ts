import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";

export interface FamilyLimitOptions {
  counters: Counters;
  /** How many counters the key of a family may create in one process and day. */
  limit: number;
  /** Who the log says has created them. */
  by?: string;
  metrics: Metrics;
  log: Log;
}

/** Keeps strangers from filling the store: the key of a family is public. */
export interface FamilyLimit {
  /**
   * Counts a hit that was authorized by the key of a family. Rejects with "family-full" if the limit is reached and the
   * counter does not exist yet. Hits that are under way when the limit is reached still count.
   */
  count<Result>(
    hit: { id: CounterId; family: string },
    count: () => Promise<Result>,
  ): Promise<Result>;
}

export function createFamilyLimit(
  { counters, limit, by = "a family key", metrics, log }: FamilyLimitOptions,
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

  /** A counter that its owner set to 0 has days; one that was never hit has none. */
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
