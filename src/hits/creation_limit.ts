import type { Grant } from "../auth/access.ts";
import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";

/** Maximum number of counters that requests without a key may create per process and day. */
const MAX_PUBLIC_COUNTERS = 1000;

export interface CreationLimitOptions {
  counters: Counters;
  /** Maximum number of counters that the key of a prefix may create per process and day. */
  familyLimit: number;
  metrics: Metrics;
  log: Log;
}

/** A hit and the credential that authorized it. */
interface GrantedHit {
  readonly id: CounterId;
  readonly grant: Grant;
}

/** Creates a limit of new counters for grants that are public and so could fill the store. */
export function createCreationLimit(
  { counters, familyLimit, metrics, log }: CreationLimitOptions,
) {
  const created = new Map<Grant, number>();
  const reported = new Set<Grant>();
  let day = counters.calendar.today();

  function createdToday(grant: Grant): number {
    const today = counters.calendar.today();
    if (today !== day) {
      created.clear();
      reported.clear();
    }
    day = today;
    return created.get(grant) ?? 0;
  }

  /** Reports whether a counter exists. One that its owner set to 0 has days. */
  async function exists(id: CounterId): Promise<boolean> {
    if (await counters.count(id) > 0) return true;
    return (await counters.history(id, day)).days !== undefined;
  }

  function report(grant: Grant, limit: number): void {
    metrics.familyFull++;
    if (reported.has(grant)) return;
    reported.add(grant);
    const by = grant === "SERVE_AS" ? grant : "a family key";
    log.warn(
      `${by} has reached its limit of new counters for today: hits on other new counters return 403`,
      { family: grant, limit },
    );
  }

  /**
   * Counts a hit with a public grant. Rejects with `family-full` if the limit is reached and the
   * counter does not exist. Hits in flight when the limit is reached still count.
   */
  return async <Result>({ id, grant }: GrantedHit, count: () => Promise<Result>) => {
    const limit = grant === "SERVE_AS" ? MAX_PUBLIC_COUNTERS : familyLimit;
    if (createdToday(grant) >= limit && !await exists(id)) {
      report(grant, limit);
      throw new Problem("family-full");
    }
    const result = await count();
    if (result === 1) created.set(grant, createdToday(grant) + 1);
    return result;
  };
}
