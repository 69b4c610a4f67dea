import type { FamilyPrefix } from "../auth/secret.ts";
import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";
import type { HitResult } from "./hit_policy.ts";

export interface FamilyLimitOptions {
  counters: Counters;
  /** How many counters the key of a family may begin in one process and day. */
  limit: number;
  metrics: Metrics;
  log: Log;
}

/** A bound to what strangers can do with the key of a family, which stands in public: they could fill the store. */
export interface FamilyLimit {
  /**
   * Counts a hit that the key of a family opened; "family-full" for a counter that does not exist yet where the key began
   * as many as it may. Hits that were under way by then are counted.
   */
  count(
    hit: { id: CounterId; family: FamilyPrefix },
    count: () => Promise<HitResult>,
  ): Promise<HitResult>;
}

export function createFamilyLimit(
  { counters, limit, metrics, log }: FamilyLimitOptions,
): FamilyLimit {
  const begun = new Map<FamilyPrefix, number>();
  const reported = new Set<FamilyPrefix>();
  let day = counters.calendar.today();

  function begunToday(family: FamilyPrefix): number {
    const today = counters.calendar.today();
    if (today !== day) {
      begun.clear();
      reported.clear();
    }
    day = today;
    return begun.get(family) ?? 0;
  }

  /** A counter that stands at 0 because its owner set it has days, as one that was never hit has not. */
  async function exists(id: CounterId): Promise<boolean> {
    if (await counters.count(id) > 0) return true;
    return (await counters.history(id, day)).days !== undefined;
  }

  function refuse(family: FamilyPrefix): never {
    metrics.familyFull++;
    if (!reported.has(family)) {
      reported.add(family);
      log.warn("a family key began as many counters as it may today: hits on new ones get 403", {
        family,
        limit,
      });
    }
    throw new Problem("family-full");
  }

  return {
    async count({ id, family }, count) {
      if (begunToday(family) >= limit && !await exists(id)) refuse(family);
      const result = await count();
      if (result === 1) begun.set(family, begunToday(family) + 1);
      return result;
    },
  };
}
