import type { KeyPrefix } from "../auth/keys.ts";
import type { CounterId } from "../domain/counter_id.ts";
import type { Counters } from "../counters/counters.ts";
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
  /** Aborted when the service is closed. */
  ended: AbortSignal;
}

/** Creates a limit of new counters for grants that are public and so could fill the store. */
export function createCreationLimit(
  { counters, groupLimit, metrics, log, ended }: CreationLimitOptions,
) {
  const { calendar } = counters;
  /** Number of counters that each grant has created today, and of its hits that may create one. */
  const today = perDay({ calendar, ended }, () => new Map<string, number>());

  /** Reports whether a counter exists. One that its owner set to 0 has days. */
  async function exists(id: CounterId): Promise<boolean> {
    if (await counters.total(id) > 0) return true;
    return (await counters.history(id, calendar.today())).days !== undefined;
  }

  /**
   * Counts a hit with a public grant. Rejects with `group-full` if the limit is reached, or would
   * be by hits in flight, and the counter does not exist.
   */
  return async <Result>(
    { id, creator }: { id: CounterId; creator: "SERVE_AS" | KeyPrefix },
    count: () => Promise<Result>,
  ) => {
    const isKey = creator !== "SERVE_AS";
    const limit = isKey ? groupLimit : MAX_PUBLIC_COUNTERS;
    const creations = today();
    const taken = () => creations.get(creator) ?? 0;
    // A counter whose last number is above 0 exists, unless another process has deleted it.
    const mayCreate = !counters.lastKnown(id);
    if (mayCreate && taken() >= limit && !await exists(id)) {
      metrics.groupFull++;
      const by = isKey ? "a group key" : creator;
      const event =
        `${by} has reached its limit of new counters for today: hits on other new counters return 403`;
      log.warnOncePer("day", event, { group: creator, limit });
      throw new Problem("group-full");
    }
    const place = mayCreate ? 1 : 0;
    creations.set(creator, taken() + place);
    let created = 0;
    try {
      const result = await count();
      if (result === 1) created = 1;
      return result;
    } finally {
      creations.set(creator, taken() + created - place);
    }
  };
}
