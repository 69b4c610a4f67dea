import type { KeyPrefix } from "../auth/keys.ts";
import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";
import { perDay } from "./per_day.ts";

/** Maximum number of counters that requests without a key may create per process and day. */
const MAX_PUBLIC_COUNTERS = 1000;

export interface CreationLimitOptions {
  counters: Counters;
  /** Maximum number of counters that the key of a prefix may create per process and day. */
  groupLimit: number;
  metrics: Metrics;
  log: Log;
}

/** Creates a limit of new counters for grants that are public and so could fill the store. */
export function createCreationLimit(
  { counters, groupLimit, metrics, log }: CreationLimitOptions,
) {
  const { calendar } = counters;
  const today = perDay(calendar, () => ({
    created: new Map<string, number>(),
    reported: new Set<string>(),
  }));

  /** Reports whether a counter exists. One that its owner set to 0 has days. */
  async function exists(id: CounterId): Promise<boolean> {
    if (await counters.count(id) > 0) return true;
    return (await counters.history(id, calendar.today())).days !== undefined;
  }

  /**
   * Counts a hit with a public grant. Rejects with `group-full` if the limit is reached and the
   * counter does not exist. Hits in flight when the limit is reached still count.
   */
  return async <Result>(
    { id, creator }: { id: CounterId; creator: "SERVE_AS" | KeyPrefix },
    count: () => Promise<Result>,
  ) => {
    const isKey = creator !== "SERVE_AS";
    const limit = isKey ? groupLimit : MAX_PUBLIC_COUNTERS;
    if ((today().created.get(creator) ?? 0) >= limit && !await exists(id)) {
      metrics.groupFull++;
      const { reported } = today();
      if (!reported.has(creator)) {
        const by = isKey ? "a group key" : creator;
        const event =
          `${by} has reached its limit of new counters for today: hits on other new counters return 403`;
        log.warn(event, { group: creator, limit });
      }
      reported.add(creator);
      throw new Problem("group-full");
    }
    const result = await count();
    const { created } = today();
    if (result === 1) created.set(creator, (created.get(creator) ?? 0) + 1);
    return result;
  };
}
