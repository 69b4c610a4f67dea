import { Problem } from "../problem.ts";
import { Recent } from "../recent.ts";
import { type Calendar, createCalendar } from "./calendar.ts";
import type { CounterId } from "./counter_id.ts";
import type { Day, Held } from "./days.ts";
import {
  type ChangeCall,
  type Changed,
  changeOf,
  DELETION,
  heldOf,
  HIT,
  hitsAfter,
  ownNumber,
} from "./change_calls.ts";
import { givingWay } from "./give_way.ts";
import { GroupCalls } from "./group_calls.ts";
import type { Line } from "./line.ts";
import type { Marks, OnceOutcome } from "./once.ts";
import { countGroupsOnce, ONCE, type OnceResults, ownOutcome } from "./once_calls.ts";
import type { Setting } from "./setting.ts";
import type { CounterStore, ListOptions, ListPage, Outcome, Source } from "./store.ts";
import { within } from "./within.ts";

/** How long a caller waits for the store at most. */
const DEADLINE_MS = 2000;
/** How soon a store answers that is near: hits that wait for the batch before them cost less, and wait little longer. */
const NEAR_MS = 1;
/** How long the store may take to show that it takes hits. */
const READY_DEADLINE_MS = 1000;
/** How many callers may wait at once. */
const MAX_WAITING = 10_000;
/** How many counters' last numbers are remembered for sure. */
const REMEMBERED = 10_000;

/** The counters of a store, exact under any number of callers at once. */
export interface Counters {
  readonly source: Source;
  /** How many callers have no answer yet. */
  readonly waiting: number;
  readonly calendar: Calendar;
  /** Adds one and resolves with this hit's own number, once the store has acknowledged it. */
  hit(id: CounterId): Promise<number>;
  /** The same for a hit that counts once, or was counted already. */
  hitOnce(id: CounterId, marks: Marks): Promise<OnceOutcome>;
  /** See {@linkcode CounterStore.salt}; of today. */
  salt(): Promise<string>;
  /** The number of a counter: at least that of every hit acknowledged before the call; at once where it is known. */
  count(id: CounterId): number | Promise<number>;
  /** The number that this process saw last, which may be out of date; undefined where it saw none. */
  lastSeen(id: CounterId): number | undefined;
  /** What a counter holds, with its days from `since` on at least. */
  history(id: CounterId, since: Day): Promise<Held>;
  /** Sets a counter and resolves with what it held before, once the store has acknowledged it. */
  set(id: CounterId, setting: Setting): Promise<Held>;
  /** Removes a counter and resolves with what it held, once the store has acknowledged it. */
  delete(id: CounterId): Promise<Held>;
  /** How many are best set together. */
  readonly importPortion: number;
  /** Sets many counters, leaving room for hits; resolves with the problems of those that were not set, by their place. */
  setAll(lines: readonly Line[], mode: Setting["mode"]): Promise<ReadonlyMap<number, Problem>>;
  /** Every counter, some at a time; see {@linkcode CounterStore.list}. */
  list(options: ListOptions): AsyncGenerator<ListPage>;
  /**
   * Resolves where the store would take a hit within a second, with the names of its shards that would not; rejects with
   * "store-unavailable" otherwise.
   */
  ready(): Promise<readonly string[]>;
  /** Takes nobody any more, answers those who wait, then closes the store; calling it again changes nothing. */
  close(): Promise<void>;
}

/** Opens the counters of a store; they own it from then on. */
export function createCounters(
  store: CounterStore,
  calendar: Calendar = createCalendar("UTC"),
): Counters {
  const seen = new Recent<CounterId, number>(REMEMBERED);
  const { batches, idsPerBatch } = store;
  const limits = { batches, idsPerBatch, nearMs: NEAR_MS, deadlineMs: DEADLINE_MS };
  const asking = { ...limits, lingers: false, overdue: "store-unavailable" } as const;

  const changes = new GroupCalls<ChangeCall, Changed>({
    ...limits,
    lingers: batches === 1,
    overdue: "outcome-unknown",
    async send(groups) {
      const outcomes = await store.change(groups.map(changeOf));
      groups.forEach((group, index) => {
        const hits = hitsAfter(group, outcomes[index]);
        if (hits !== undefined) seen.set(group.id, hits);
      });
      return outcomes;
    },
  });
  // Beside the others: which of two comes first does not matter where neither was answered yet.
  const onces = new GroupCalls<typeof ONCE, OnceResults, Marks>({
    ...limits,
    lingers: false,
    overdue: "outcome-unknown",
    send: (groups) => countGroupsOnce(store, groups),
  });
  const counts = new GroupCalls<"count", number>({
    ...asking,
    async send(groups) {
      const outcomes = await store.read(groups.map(({ id }) => id));
      remember(groups, outcomes);
      return outcomes;
    },
  });
  const histories = new GroupCalls<Day, Held>({
    ...asking,
    async send(groups) {
      const outcomes = await store.history(groups.map(({ id, call }) => ({ id, since: call })));
      remember(groups, outcomes.map((held) => held instanceof Problem ? held : held.hits));
      return outcomes;
    },
  });

  let closing: Promise<void> | undefined;

  function remember(groups: readonly { id: CounterId }[], outcomes: readonly Outcome[]): void {
    groups.forEach(({ id }, index) => {
      const outcome = outcomes[index];
      if (typeof outcome === "number") seen.set(id, outcome);
    });
  }

  function waiting(): number {
    return changes.waiting + onces.waiting + counts.waiting + histories.waiting;
  }

  /** Why nobody may call now; undefined where they may. */
  function refusal(): Promise<never> | undefined {
    if (closing !== undefined) return Promise.reject(new Problem("store-unavailable"));
    if (waiting() < MAX_WAITING) return undefined;
    return Promise.reject(new Problem("overloaded"));
  }

  async function change(id: CounterId, call: ChangeCall): Promise<Held> {
    return heldOf(await (refusal() ?? changes.callAlone(id, call)));
  }

  async function hitOnce(id: CounterId, marks: Marks): Promise<OnceOutcome> {
    const call = { id, call: ONCE, part: marks };
    const outcome = await (refusal() ?? onces.joinWithShare(call, ownOutcome));
    if (outcome.hits > (seen.get(id) ?? 0)) seen.set(id, outcome.hits);
    return outcome;
  }

  function known(id: CounterId): number | undefined {
    const number = closing === undefined ? store.known?.(id) : undefined;
    if (number !== undefined) seen.set(id, number);
    return number;
  }

  async function ready(): Promise<readonly string[]> {
    // A store that was closed would be opened again, or taken to be away.
    if (closing !== undefined) throw new Problem("store-unavailable");
    return await within(READY_DEADLINE_MS, store.check());
  }

  async function end(): Promise<void> {
    await Promise.all([changes, onces, counts, histories].map((calls) => calls.drain()));
    await store.close();
  }

  return {
    source: store.source,
    importPortion: store.importPortion,
    calendar,
    get waiting() {
      return waiting();
    },
    hit: (id) => refusal() ?? changes.joinWithShare({ id, call: HIT }, ownNumber),
    hitOnce,
    salt: () => store.salt(calendar.today()),
    count: (id) => known(id) ?? refusal() ?? counts.join(id, "count"),
    lastSeen: (id) => seen.get(id),
    history: (id, since) => refusal() ?? histories.join(id, since),
    set: (id, setting) => change(id, { kind: "set", ...setting }),
    delete: (id) => change(id, DELETION),
    async setAll(lines, mode) {
      const { setLines } = await import("./set_lines.ts");
      return setLines(lines, {
        set: ({ id, hits, days }) => change(id, { kind: "set", hits, days, mode }),
        portion: idsPerBatch,
        byId: store.importById,
        called: () => changes.called + onces.called,
      });
    },
    async *list(options) {
      if (closing !== undefined) throw new Problem("store-unavailable");
      const waiting = () => changes.waiting + onces.waiting + counts.waiting;
      yield* givingWay(store.list(options), () => waiting() > 0);
    },
    ready,
    close: () => closing ??= end(),
  };
}
