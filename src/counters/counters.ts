import { BoundedMap } from "../bounded_map.ts";
import { type Calendar, createCalendar } from "../domain/calendar.ts";
import type { CounterId } from "../domain/counter_id.ts";
import type { CounterState, Day } from "../domain/history.ts";
import type {
  CounterStore,
  DeduplicationKeys,
  ListOptions,
  ListPage,
  OnceOutcome,
  Risks,
  Update,
  Write,
} from "../domain/store.ts";
import { applyUpdate, idsOf } from "../domain/update.ts";
import { Metrics } from "../metrics.ts";
import { LongJob, withTimeout } from "../waiting.ts";
import { Failure } from "../domain/errors.ts";
import { Batcher, type CoalescedCall, toError } from "./batcher.ts";
import type { NumberedLine } from "../domain/line.ts";
import { importLines, type ImportMode } from "./import.ts";
import { createGroups } from "./groups.ts";

/** Deadline of every call to the store, and interval of the check, in milliseconds. */
const DEADLINE_MS = 2000;
const DEADLINE_CHECK_INTERVAL_MS = 50;
/** Timeout of the readiness check, in milliseconds. */
const READY_DEADLINE_MS = 1000;
/** Latency below which a store counts as fast, in milliseconds. */
const FAST_STORE_MS = 1;
/** Maximum number of callers that wait for the store. */
const MAX_WAITING = 10_000;
/** Minimum number of counters whose last number is remembered. */
const CACHE_SIZE = 10_000;
/** Maximum number of hits of one counter whose deduplication keys the store takes in one step. */
const DEDUPLICATED_PER_STEP = 100;
/** Maximum time after which a sum stops pausing. Image proxies give up after four seconds. */
const MAX_SUM_PAUSING_MS = 1500;

/** The counters of a store, exact under any number of concurrent calls. */
export type Counters = ReturnType<typeof createCounters>;

/**
 * Creates the counters of a store. Closing them closes the store.
 *
 * A call fails with `store-unavailable` or `outcome-unknown` if the store does not answer within
 * two seconds, with `overloaded` if 10,000 callers wait, and with `shutting-down` after the close.
 *
 * @example
 * ```ts
 * const counters = createCounters(store, createCalendar("Europe/Berlin"));
 * const number = await counters.hit(counterId("home"));
 * await counters.close();
 * ```
 */
export function createCounters(
  store: CounterStore,
  calendar: Calendar = createCalendar("UTC"),
  metrics = new Metrics(),
) {
  const lastNumbers = new BoundedMap<CounterId, number>(CACHE_SIZE);
  const pending = { waiting: 0 };
  const optionsFor = (kind: "change" | "read" | "history") => ({
    pending,
    idsPerBatch: store.idsPerBatch,
    fastStoreMs: FAST_STORE_MS,
    deadlineMs: DEADLINE_MS,
    batches: store.batches,
    meter: metrics.batchesOf(kind),
    timeout: kind === "change" ? "outcome-unknown" as const : "store-unavailable" as const,
  });

  const changes = optionsFor("change");
  const hits = new Batcher<CounterId, number>({
    ...changes,
    async send(calls) {
      const additions = calls.map(({ key, callers }) => ({ id: key, amount: callers }));
      const totals = await store.add(additions);
      remember(calls, totals);
      return totals;
    },
    onAnswer: ({ callers }, total) => meterHits(total, callers),
  });
  const writes = new Batcher<Write, CounterState>({
    ...changes,
    inOrder: idsOf,
    async send(calls) {
      const outcomes = await store.write(calls.map(({ key }) => key));
      calls.forEach(({ key: { id, update, to } }, index) => {
        const before = outcomes[index];
        if (before === undefined || before instanceof Failure) return;
        const after = update && applyUpdate(update, { before, today: calendar.today() });
        lastNumbers.set(id, after?.hits ?? 0);
        if (to !== undefined) lastNumbers.delete(to);
        // A repeated addition has changed nothing.
        if (update?.name !== undefined) lastNumbers.delete(id);
      });
      return outcomes;
    },
  });
  const deduplicatedHits = new Batcher<CounterId, DeduplicatedResults, DeduplicationKeys>({
    ...changes,
    send: (calls) => addDeduplicated(store, calls),
    onAnswer({ callers }, results) {
      if (results instanceof Error) return meterHits(results, callers);
      for (const outcome of results) {
        meterHits(outcome, outcome instanceof Error || !outcome.repeat ? 1 : 0);
      }
    },
  });
  const reads = new Batcher<CounterId, number>({
    ...optionsFor("read"),
    async send(calls) {
      const outcomes = await store.read(calls.map(({ key }) => key));
      remember(calls, outcomes);
      return outcomes;
    },
  });
  const histories = new Batcher<CounterId, CounterState, Day>({
    ...optionsFor("history"),
    async send(calls) {
      const outcomes = await store.history(
        calls.map(({ key, parts }) => ({ id: key, since: Math.min(...parts) })),
      );
      remember(calls, outcomes.map((state) => state instanceof Failure ? state : state.hits));
      return outcomes;
    },
  });
  const batchers = [hits, writes, deduplicatedHits, reads, histories];

  /** Number of calls so far, without those of long jobs. */
  let calls = 0;
  let watch: ReturnType<typeof setInterval> | undefined;
  let closing: Promise<void> | undefined;

  function remember(calls: readonly { key: CounterId }[], outcomes: readonly unknown[]): void {
    calls.forEach(({ key }, index) => {
      const outcome = outcomes[index];
      if (typeof outcome === "number") lastNumbers.set(key, outcome);
    });
  }

  /** Counts hits as acknowledged, or as unknown. */
  function meterHits(outcome: number | OnceOutcome | Error, amount: number): void {
    const isUnknown = outcome instanceof Failure && outcome.kind === "outcome-unknown";
    if (isUnknown) metrics.unknownHits += amount;
    else if (!(outcome instanceof Error)) metrics.hits += amount;
  }

  /** Returns a rejected promise if a batcher takes no call. Otherwise starts the deadline check. */
  function rejectIfUnavailable(batcher: { readonly isStuck: boolean }): Promise<never> | undefined {
    if (closing !== undefined) return Promise.reject(new Failure("shutting-down"));
    if (batcher.isStuck) return Promise.reject(new Failure("store-unavailable"));
    if (pending.waiting >= MAX_WAITING) return Promise.reject(new Failure("overloaded"));
    watch ??= setInterval(() => setImmediate(rejectTimedOut), DEADLINE_CHECK_INTERVAL_MS);
    return undefined;
  }

  function rejectTimedOut(): void {
    for (const batcher of batchers) batcher.rejectTimedOut();
    if (pending.waiting > 0) return;
    clearInterval(watch);
    watch = undefined;
  }

  function enqueue<Key, Result, Part>(
    batcher: Batcher<Key, Result, Part>,
    key: Key,
    part?: Part,
  ): Promise<Result> {
    return rejectIfUnavailable(batcher) ?? batcher.enqueue(key, part).promise;
  }

  /** Adds one. Resolves with the number of this hit once the store has acknowledged it. */
  function hit(id: CounterId): Promise<number> {
    calls++;
    const rejected = rejectIfUnavailable(hits);
    if (rejected !== undefined) return rejected;
    const call = hits.enqueue(id);
    const place = call.callers;
    return call.promise.then((total) => total - call.callers + place);
  }

  /** Adds one, unless the hit is a repeat. */
  async function hitDeduplicated(id: CounterId, keys: DeduplicationKeys): Promise<OnceOutcome> {
    calls++;
    const rejected = rejectIfUnavailable(deduplicatedHits);
    if (rejected !== undefined) return await rejected;
    const call = deduplicatedHits.enqueue(id, keys);
    const index = call.callers - 1;
    const outcome = (await call.promise)[index];
    if (outcome === undefined || outcome instanceof Error) throw outcome;
    // A repeat may report an older number.
    if (outcome.hits > (lastNumbers.get(id) ?? 0)) lastNumbers.set(id, outcome.hits);
    return outcome;
  }

  /** Returns a number that the store knows without a read. */
  function known(id: CounterId): number | undefined {
    return closing === undefined ? store.known?.(id) : undefined;
  }

  function write(write: Write): Promise<CounterState> {
    calls++;
    return enqueue(writes, write);
  }

  async function* list(options: ListOptions, maxPausingMs?: number): AsyncGenerator<ListPage> {
    if (closing !== undefined) throw new Failure("shutting-down");
    const pages = store.list(options);
    const job = new LongJob(() => calls, maxPausingMs);
    try {
      while (true) {
        const { done, value } = await withTimeout(DEADLINE_MS, pages.next());
        if (done === true) return;
        yield value;
        await job.endPiece();
      }
    } finally {
      // Not awaited, because it waits for the page that is being read, which may never arrive.
      pages.return(undefined).catch(() => {});
    }
  }

  const groups = createGroups({
    list: (options) => list(options, MAX_SUM_PAUSING_MS),
    sortedById: store.sortedById,
    calendar,
  });

  async function end(): Promise<void> {
    await Promise.all([groups.end(), ...batchers.map((batcher) => batcher.drain())]);
    clearInterval(watch);
    await store.close();
  }

  return {
    source: store.source,
    calendar,
    /** Number of callers that wait for the store. */
    get waiting(): number {
      return pending.waiting;
    },
    hit,
    hitDeduplicated,
    /** Resolves with the random text of today, see {@linkcode CounterStore.salt}. */
    async salt(): Promise<string> {
      if (closing !== undefined) throw new Failure("shutting-down");
      return await withTimeout(DEADLINE_MS, store.salt(calendar.today()));
    },
    /** Returns the number of a counter, which includes every hit acknowledged before. */
    total(id: CounterId): number | Promise<number> {
      calls++;
      return known(id) ?? enqueue(reads, id);
    },
    /** Returns the number that this process saw last, or undefined if it saw none. */
    lastKnown: (id: CounterId): number | undefined => known(id) ?? lastNumbers.get(id),
    /** Resolves with the state of a counter, with its days from `since` on at least. */
    history(id: CounterId, since: Day): Promise<CounterState> {
      calls++;
      return enqueue(histories, id, since);
    },
    /** Sets a counter. Resolves with its previous state once the change is acknowledged. */
    set: (id: CounterId, update: Update): Promise<CounterState> => write({ id, update }),
    /** Deletes a counter. Resolves with its previous state once the change is acknowledged. */
    delete: (id: CounterId): Promise<CounterState> => write({ id, update: undefined }),
    /** Moves a counter. Resolves with what moved once the change is acknowledged. */
    move: (id: CounterId, to: CounterId): Promise<CounterState> =>
      write({ id, update: undefined, to }),
    /** Sets the counters of lines, see {@linkcode importLines}. */
    importLines: (source: AsyncIterable<readonly NumberedLine[]>, mode: ImportMode) =>
      importLines(source, {
        ...mode,
        calendar,
        job: new LongJob(() => calls),
        write: (write) => enqueue(writes, write),
        history: (id) => enqueue(histories, id, -Infinity),
      }),
    /** Lists counters in pages, see {@linkcode CounterStore.list}. */
    list: (options: ListOptions): AsyncGenerator<ListPage> => list(options),
    /** The sums and rankings of counters with a common prefix. */
    groups,
    /**
     * Resolves with the names of the shards that accept no hits, if others do. Throws
     * `store-unavailable` if none answers within a second.
     */
    async ready(): Promise<readonly string[]> {
      // A lazy store would open again once it was closed.
      if (closing !== undefined) throw new Failure("store-unavailable");
      return await withTimeout(READY_DEADLINE_MS, store.check());
    },
    /** Returns what the store may lose counters by, see {@linkcode CounterStore.risks}. */
    risks: (): Risks => store.risks?.() ?? new Map(),
    /** Refuses new calls, waits for those in flight and closes the store, once. */
    close: (): Promise<void> => closing ??= end(),
  };
}

/** The outcomes of the hits of one counter that were sent together. */
type DeduplicatedResults = readonly (OnceOutcome | Error)[];

/** Counts hits with deduplication keys, those of one counter in their order. */
async function addDeduplicated(
  store: CounterStore,
  calls: readonly CoalescedCall<CounterId, DeduplicatedResults, DeduplicationKeys>[],
): Promise<DeduplicatedResults[]> {
  const entries = calls.map(({ key, parts }) => {
    return { id: key, parts, results: new Array<OnceOutcome | Error>() };
  });
  for (let start = 0;; start += DEDUPLICATED_PER_STEP) {
    const step = entries.filter(({ parts }) => parts.length > start);
    if (step.length === 0) return entries.map(({ results }) => results);
    const additions = step.map(({ id, parts }) => {
      return { id, hits: parts.slice(start, start + DEDUPLICATED_PER_STEP) };
    });
    // A failure is the outcome of this step only. Hits of earlier steps were counted.
    const outcomes = await store.addOnce(additions).catch(toError);
    additions.forEach(({ hits }, index) => {
      const outcome = outcomes instanceof Error ? outcomes : outcomes[index] ?? [];
      const results = outcome instanceof Error ? hits.map(() => outcome) : outcome;
      step[index]?.results.push(...results);
    });
  }
}
