import { type Calendar, createCalendar } from "../counter/calendar.ts";
import type { CounterId } from "../counter/counter_id.ts";
import type { CounterState, Day } from "../counter/days.ts";
import type { CounterLine } from "../counter/line.ts";
import type { DeduplicationKeys, OnceOutcome } from "../counter/once.ts";
import { applyUpdate, type Update } from "../counter/update.ts";
import {
  type CounterStore,
  type ListOptions,
  type ListPage,
  type OnceAddition,
  type Outcome,
  type Source,
  withTimeout,
  type Write,
} from "../counter/store.ts";
import { loadOnce } from "../load_once.ts";
import { Metrics } from "../metrics.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";
import { Batcher, Callers, errorOf, type Group, Slots, yieldToHits } from "./batcher.ts";
import type { Families } from "./families.ts";
import { WriteQueue } from "./write_queue.ts";

/** How long a caller waits for the store at most, and how often that is looked at: it may wait that much longer. */
const DEADLINE_MS = 2000;
const WATCH_INTERVAL_MS = 100;
/** How soon a store answers that is near: hits that wait for the batch before them cost less, and wait little longer. */
const NEAR_MS = 1;
/** How long the store may take to show that it takes hits. */
const READY_DEADLINE_MS = 1000;
/** How many callers may wait at once. */
const MAX_WAITING = 10_000;
/** How many counters' last numbers are remembered for sure. */
const REMEMBERED = 10_000;
/** How many hits of a counter that count once go at once: their deduplication keys have to go into one step of the store. */
const ONCE_PER_STEP = 100;

/** The counters of a store, exact under any number of callers at once. */
export interface Counters {
  readonly source: Source;
  /** How many callers have no answer yet. */
  readonly waiting: number;
  readonly calendar: Calendar;
  /** Adds one and resolves with this hit's own number, once the store has acknowledged it. */
  hit(id: CounterId): Promise<number>;
  /** The same for a hit that counts once, or was counted already. */
  hitOnce(id: CounterId, keys: DeduplicationKeys): Promise<OnceOutcome>;
  /** See {@linkcode CounterStore.salt}; of today. */
  salt(): Promise<string>;
  /** The number of a counter: at least that of every hit acknowledged before the call; at once if it is known. */
  count(id: CounterId): number | Promise<number>;
  /** The number that this process saw last, which may be out of date; undefined if it saw none. */
  lastSeen(id: CounterId): number | undefined;
  /** What a counter holds, with its days from `since` on at least. */
  history(id: CounterId, since: Day): Promise<CounterState>;
  /** Sets a counter and resolves with what it held before, once the store has acknowledged it. */
  set(id: CounterId, update: Update): Promise<CounterState>;
  /** Removes a counter and resolves with what it held, once the store has acknowledged it. */
  delete(id: CounterId): Promise<CounterState>;
  /** How many are best set together. */
  readonly importPortion: number;
  /** Sets many counters, leaving room for hits; resolves with the problems of those that were not set, by their index. */
  setAll(
    lines: readonly CounterLine[],
    mode: Update["mode"],
  ): Promise<ReadonlyMap<number, Problem>>;
  /** Every counter, some at a time; see {@linkcode CounterStore.list}. */
  list(options: ListOptions): AsyncGenerator<ListPage>;
  /** Sums and rankings of counters, which are loaded with their first use. */
  families(): Promise<Families>;
  /**
   * Resolves if the store would take a hit within a second, with the names of its shards that would not; rejects with
   * "store-unavailable" otherwise.
   */
  ready(): Promise<readonly string[]>;
  /** Refuses new calls, answers those that wait, then closes the store; calling it again changes nothing. */
  close(): Promise<void>;
}

/** Opens the counters of a store; they own it from then on. */
export function createCounters(
  store: CounterStore,
  calendar: Calendar = createCalendar("UTC"),
  metrics = new Metrics(),
): Counters {
  /** Undefined if the store keeps the numbers itself. */
  const seen = store.lastSeen === undefined
    ? new BoundedMap<CounterId, number>(REMEMBERED)
    : undefined;
  const { batches, idsPerBatch } = store;
  const deadlineMs = DEADLINE_MS;
  const callers = new Callers();
  const limits = { callers, idsPerBatch, nearMs: NEAR_MS, deadlineMs };

  const slotsFor = (kind: "change" | "read" | "history") =>
    new Slots(batches, metrics.batchesOf(kind));
  // Hits and writes take turns.
  const slots = slotsFor("change");
  const hits = new Batcher<number>({
    ...limits,
    slots,
    overdue: "outcome-unknown",
    async send(groups) {
      const additions = groups.map(({ id, callers }) => ({ id, amount: callers }));
      const totals = await store.add(additions).catch((error) => {
        for (const { amount } of additions) meterHits(error, amount);
        throw error;
      });
      additions.forEach(({ amount }, index) => meterHits(totals[index], amount));
      remember(groups, totals);
      return totals;
    },
  });
  const writes = new WriteQueue({
    callers,
    slots,
    idsPerBatch,
    deadlineMs,
    async send(writes) {
      const outcomes = await store.write(writes);
      if (seen === undefined) return outcomes;
      writes.forEach(({ id, update }, index) => {
        const held = outcomes[index];
        if (held !== undefined && !(held instanceof Problem)) {
          seen.set(id, hitsAfter(update, { held, today: calendar.today() }));
        }
      });
      return outcomes;
    },
  });
  // Beside the others: of two calls that are both unanswered, either may take effect first.
  const onces = new Batcher<OnceResults, DeduplicationKeys>({
    ...limits,
    slots: slotsFor("change"),
    overdue: "outcome-unknown",
    async send(groups) {
      const results = await addOnce(store, groups);
      for (const result of results) {
        for (const outcome of result) {
          meterHits(outcome, outcome instanceof Error || !outcome.repeat ? 1 : 0);
        }
      }
      return results;
    },
  });
  const counts = new Batcher<number>({
    ...limits,
    slots: slotsFor("read"),
    overdue: "store-unavailable",
    async send(groups) {
      const outcomes = await store.read(groups.map(({ id }) => id));
      remember(groups, outcomes);
      return outcomes;
    },
  });
  const histories = new Batcher<CounterState, Day>({
    ...limits,
    slots: slotsFor("history"),
    overdue: "store-unavailable",
    async send(groups) {
      const outcomes = await store.history(
        groups.map(({ id, parts }) => ({ id, since: Math.min(...parts) })),
      );
      remember(groups, outcomes.map((held) => held instanceof Problem ? held : held.hits));
      return outcomes;
    },
  });
  const queues = [hits, writes, onces, counts, histories];

  let watch: ReturnType<typeof setInterval> | undefined;
  let closing: Promise<void> | undefined;

  function remember(groups: readonly { id: CounterId }[], outcomes: readonly Outcome[]): void {
    if (seen === undefined) return;
    groups.forEach(({ id }, index) => {
      const outcome = outcomes[index];
      if (typeof outcome === "number") seen.set(id, outcome);
    });
  }

  /** Adds so many hits to those that were counted, or to those whose outcome is unknown. */
  function meterHits(outcome: number | OnceOutcome | Error | undefined, amount: number): void {
    if (outcome instanceof Error) {
      const isUnknown = outcome instanceof Problem && outcome.kind === "outcome-unknown";
      if (isUnknown) metrics.unknownHits += amount;
    } else if (outcome !== undefined) {
      metrics.hits += amount;
    }
  }

  /** Why this queue takes no call now; undefined if it does, and then deadlines are watched. */
  function refusal(queue: { readonly isStuck: boolean }): Promise<never> | undefined {
    if (closing !== undefined || queue.isStuck) {
      return Promise.reject(new Problem("store-unavailable"));
    }
    if (callers.waiting >= MAX_WAITING) return Promise.reject(new Problem("overloaded"));
    watch ??= setInterval(expireAll, WATCH_INTERVAL_MS);
    return undefined;
  }

  function expireAll(): void {
    for (const queue of queues) queue.expire();
    if (callers.waiting > 0) return;
    clearInterval(watch);
    watch = undefined;
  }

  function hit(id: CounterId): Promise<number> {
    const refused = refusal(hits);
    if (refused !== undefined) return refused;
    const group = hits.enqueue(id);
    const place = group.callers;
    return group.result.then((total) => total - group.callers + place);
  }

  async function hitOnce(id: CounterId, keys: DeduplicationKeys): Promise<OnceOutcome> {
    const refused = refusal(onces);
    if (refused !== undefined) return await refused;
    const group = onces.enqueue(id, keys);
    const index = group.callers - 1;
    const outcome = (await group.result)[index];
    if (outcome === undefined || outcome instanceof Error) throw outcome;
    if (outcome.hits > (seen?.get(id) ?? 0)) seen?.set(id, outcome.hits);
    return outcome;
  }

  async function write(some: readonly Write[]): Promise<readonly (CounterState | Problem)[]> {
    return await (refusal(writes) ?? writes.enqueue(some));
  }

  async function writeOne(id: CounterId, update: Update | undefined): Promise<CounterState> {
    const [held] = await write([{ id, update }]);
    if (held === undefined || held instanceof Problem) throw held;
    return held;
  }

  function known(id: CounterId): number | undefined {
    const number = closing === undefined ? store.known?.(id) : undefined;
    if (number !== undefined) seen?.set(id, number);
    return number;
  }

  async function ready(): Promise<readonly string[]> {
    // A store that was closed would be opened again, or taken to be away.
    if (closing !== undefined) throw new Problem("store-unavailable");
    return await withTimeout(READY_DEADLINE_MS, store.check());
  }

  let families: Families | undefined;
  const openFamilies = loadOnce(async () => {
    const { createFamilies } = await import("./families.ts");
    return families = createFamilies({
      list: (options) => store.list(options),
      byId: store.importById,
      calendar,
      hitsWait: othersWait,
    });
  });

  /** Whether a request waits for anything but a list. */
  const othersWait = () => callers.waiting > 0;

  async function end(): Promise<void> {
    await families?.end();
    await callers.drain();
    clearInterval(watch);
    await store.close();
  }

  return {
    source: store.source,
    importPortion: store.importPortion,
    calendar,
    get waiting() {
      return callers.waiting;
    },
    hit,
    hitOnce,
    salt: () => store.salt(calendar.today()),
    count: (id) => known(id) ?? refusal(counts) ?? counts.enqueue(id).result,
    lastSeen: (id) => seen === undefined ? store.lastSeen?.(id) : seen.get(id),
    history: (id, since) => refusal(histories) ?? histories.enqueue(id, since).result,
    set: writeOne,
    delete: (id) => writeOne(id, undefined),
    async setAll(lines, mode) {
      const { setLines } = await import("./import.ts");
      return setLines(lines, {
        mode,
        write,
        idsPerBatch,
        byId: store.importById,
        hits: () => hits.called + onces.called,
      });
    },
    async *list(options) {
      if (closing !== undefined) throw new Problem("store-unavailable");
      yield* yieldingToHits(store.list(options), othersWait);
    },
    families: () =>
      closing === undefined ? openFamilies() : Promise.reject(new Problem("store-unavailable")),
    ready,
    close: () => closing ??= end(),
  };
}

/** What a counter holds after a write that went well. */
function hitsAfter(
  update: Update | undefined,
  before: { held: CounterState; today: Day },
): number {
  if (update === undefined) return 0;
  const { hits, mode } = update;
  // Without a look at the days, of which a line of an import may have many.
  return hits !== undefined && mode === "replace" ? hits : applyUpdate(update, before).hits;
}

/** What became of each of the hits that were sent together, or why nothing did. */
type OnceResults = readonly (OnceOutcome | Error)[];

/** Counts hits with deduplication keys, of each counter in its own order, a step of the store after the other. */
async function addOnce(
  store: CounterStore,
  groups: readonly Group<OnceResults, DeduplicationKeys>[],
): Promise<OnceResults[]> {
  const results = groups.map((): (OnceOutcome | Error)[] => []);
  for (let start = 0; groups.some(({ parts }) => parts.length > start); start += ONCE_PER_STEP) {
    const additions: OnceAddition[] = [];
    const indexes: number[] = [];
    groups.forEach(({ id, parts }, index) => {
      if (parts.length <= start) return;
      additions.push({ id, hits: parts.slice(start, start + ONCE_PER_STEP) });
      indexes.push(index);
    });
    // What fails now does not speak for the hits that went before.
    const outcomes = await store.addOnce(additions).catch(errorOf);
    additions.forEach(({ hits }, nth) => {
      const outcome = outcomes instanceof Error ? outcomes : outcomes[nth];
      const none = new Error(`Count ${hits.length} hits once: the store gave no outcome`);
      results[indexes[nth] ?? NaN]?.push(
        ...hits.map((_, at) => outcome instanceof Error ? outcome : outcome?.[at] ?? none),
      );
    });
  }
  return results;
}

/** Passes parts on; while others wait, it pauses before the next part, three times as long as the last one took. */
export async function* yieldingToHits<Part>(
  parts: AsyncIterable<Part>,
  othersWait: () => boolean,
): AsyncGenerator<Part> {
  let since = performance.now();
  for await (const part of parts) {
    yield part;
    if (othersWait()) await yieldToHits(since, 3);
    since = performance.now();
  }
}
