import { Problem } from "../problem.ts";
import { Recent } from "../recent.ts";
import type { CounterId } from "./counter_id.ts";
import { type Group, GroupCalls } from "./group_calls.ts";
import type { CounterStore, Outcome, Source } from "./store.ts";
import { within } from "./within.ts";

/** How long a caller waits for the store at most. */
const DEADLINE_MS = 2000;
/** How long the store may take to show that it takes hits. */
const READY_DEADLINE_MS = 1000;
/** How many callers may wait at once. */
const MAX_WAITING = 10_000;
/** How many counters' last numbers are remembered for sure. */
const REMEMBERED = 10_000;

/** The counters of a store, exact under any number of callers at once. */
export interface Counters {
  readonly source: Source;
  /** Adds one and resolves with this hit's own number, once the store has acknowledged it. */
  hit(id: CounterId): Promise<number>;
  /** The number of a counter: at least that of every hit acknowledged before the call; at once where it is known. */
  count(id: CounterId): number | Promise<number>;
  /** The number that this process saw last, which may be out of date; undefined where it saw none. */
  lastSeen(id: CounterId): number | undefined;
  /** Resolves where the store would take a hit within a second; rejects with "store-unavailable" otherwise. */
  ready(): Promise<void>;
  /** Takes nobody any more, answers those who wait, then closes the store; calling it again changes nothing. */
  close(): Promise<void>;
}

/** Opens the counters of a store; they own it from then on. */
export function createCounters(store: CounterStore): Counters {
  const seen = new Recent<CounterId, number>(REMEMBERED);

  function remember(groups: readonly Group[], outcomes: readonly Outcome[]): readonly Outcome[] {
    groups.forEach(({ id }, index) => {
      const outcome = outcomes[index];
      if (typeof outcome === "number") seen.set(id, outcome);
    });
    return outcomes;
  }

  const { batches, idsPerBatch } = store;
  const hits = new GroupCalls({
    batches,
    idsPerBatch,
    lingers: batches === 1,
    deadlineMs: DEADLINE_MS,
    overdue: "outcome-unknown",
    send: async (groups) =>
      remember(
        groups,
        await store.change(
          groups.map(({ id, callers }) => ({ kind: "add", id, amount: callers })),
        ),
      ),
    share: (total, group, place) => total - group.callers + 1 + place,
  });
  const counts = new GroupCalls({
    batches,
    idsPerBatch,
    lingers: false,
    deadlineMs: DEADLINE_MS,
    overdue: "store-unavailable",
    send: async (groups) => remember(groups, await store.read(groups.map(({ id }) => id))),
  });

  let closing: Promise<void> | undefined;

  function join(calls: GroupCalls, id: CounterId): Promise<number> {
    if (closing !== undefined) return Promise.reject(new Problem("store-unavailable"));
    if (hits.waiting + counts.waiting < MAX_WAITING) return calls.join(id);
    return Promise.reject(new Problem("overloaded"));
  }

  function known(id: CounterId): number | undefined {
    const number = closing === undefined ? store.known?.(id) : undefined;
    if (number !== undefined) seen.set(id, number);
    return number;
  }

  async function ready(): Promise<void> {
    // A store that was closed would be opened again, or taken to be away.
    if (closing !== undefined) throw new Problem("store-unavailable");
    await within(READY_DEADLINE_MS, store.check());
  }

  async function end(): Promise<void> {
    await Promise.all([hits.drain(), counts.drain()]);
    await store.close();
  }

  return {
    source: store.source,
    hit: (id) => join(hits, id),
    count: (id) => known(id) ?? join(counts, id),
    lastSeen: (id) => seen.get(id),
    ready,
    close: () => closing ??= end(),
  };
}
