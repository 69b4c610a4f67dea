import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";
import type { FamilyPrefix } from "./family.ts";
import type { Found } from "./found.ts";

/** Options of {@linkcode limitFamilies}. */
export interface FamilyLimitOptions {
  counters: Counters;
  /** How many counters the key of a family may begin in one process and day. */
  familyLimit: number;
  metrics: Metrics;
  log: Log;
}

/** Counts a hit that the key of a family opened. */
export type FamilyHits = (
  of: { id: CounterId; prefix: FamilyPrefix },
  count: () => Promise<Found>,
) => Promise<Found>;

/** A bound to what strangers can do with the key of a family, which stands in public: they could fill the store. */
export function limitFamilies(
  { counters, familyLimit, metrics, log }: FamilyLimitOptions,
): FamilyHits {
  const begun = new Map<FamilyPrefix, number>();
  const reported = new Set<FamilyPrefix>();
  let day = counters.calendar.today();

  function begunToday(prefix: FamilyPrefix): number {
    const today = counters.calendar.today();
    if (today !== day) {
      begun.clear();
      reported.clear();
    }
    day = today;
    return begun.get(prefix) ?? 0;
  }

  /** A counter that stands at 0 because its owner set it has days, as one that was never hit has not. */
  async function exists(id: CounterId): Promise<boolean> {
    if (await counters.count(id) > 0) return true;
    return (await counters.history(id, day)).days !== undefined;
  }

  function refuse(prefix: FamilyPrefix): never {
    metrics.familyFull++;
    if (!reported.has(prefix)) {
      reported.add(prefix);
      log.warn("a family key began as many counters as it may today: hits on new ones get 403", {
        family: prefix,
        limit: familyLimit,
      });
    }
    throw new Problem("family-full");
  }

  return async ({ id, prefix }, count) => {
    if (begunToday(prefix) >= familyLimit && !await exists(id)) refuse(prefix);
    const found = await count();
    if (found === 1) begun.set(prefix, begunToday(prefix) + 1);
    return found;
  };
}
