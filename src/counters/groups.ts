import { BoundedMap } from "../bounded_map.ts";
import { type Calendar, hitsIn, type Period, periodStart } from "../domain/calendar.ts";
import type { CounterId } from "../domain/counter_id.ts";
import { type CounterState, type Day, firstDayOf, yearOf } from "../domain/history.ts";
import { type ListedCounter, type ListOptions, type ListPage, MAX_HITS } from "../domain/store.ts";
import { Failure } from "../domain/errors.ts";
import { nextTurn } from "../waiting.ts";

/** Maximum age of a result, counted from the beginning of its scan, in milliseconds. */
const MAX_AGE_MS = 10_000;
/**
 * Age from which a result is refreshed while callers still get it, in milliseconds. Late, because a
 * scan takes time from hits. The rest suffices for a scan of the largest prefix.
 */
const REFRESH_AGE_MS = 6500;
/** Maximum number of counters with one prefix. */
const MAX_COUNTERS = 100_000;
/** Maximum number of scans that wait. Anyone may ask for a prefix that no counter has. */
const MAX_WAITING = 100;
/** Capacity of the cache of each kind of result. */
const CACHE_SIZE = 200;
/** Maximum number of counters in a ranking. */
const MAX_RANKED = 100;

/** The hits in a period of the counters with a prefix. */
export interface GroupSum {
  readonly hits: number;
  readonly counters: number;
}

/** A counter of a ranking. */
export interface RankedCounter {
  readonly id: CounterId;
  readonly hits: number;
}

export interface GroupsOptions {
  list(options: ListOptions): AsyncIterable<ListPage>;
  /** See `CounterStore.sortedById`. */
  sortedById: boolean;
  calendar: Calendar;
}

/**
 * Creates the results over all counters with a prefix. A result is at most ten seconds old, and
 * each counter in it was correct at some instant in that time. Throws `group-too-large` for too
 * many counters, or too large a sum, and `overloaded` if too many scans of strangers wait.
 *
 * With `isOwner`, a scan has passes that no stranger's scan is part of, and waits for none of
 * theirs. Among strangers, scans for results that are cached go first.
 */
export function createGroups(options: GroupsOptions) {
  const { calendar } = options;
  const scanners = { owner: new Scanner(options), strangers: new Scanner(options) };
  const histories = cached(scanners, historyFrom);

  return {
    sum: cached(scanners, (period: Period) => sumIn(period, calendar.today())),
    /** Resolves with the sums of the totals and of each day, from `since` on at least. */
    history(prefix: CounterId, since: Day, isOwner?: boolean): Promise<CounterState> {
      // Whole years, which are stored as one entry, so that fewer scans are needed.
      return histories(prefix, firstDayOf(yearOf(since)), isOwner);
    },
    /** Resolves with up to 100 counters with the most hits in a period, then in order of ids. */
    ranking: cached(scanners, (period: Period) => rankingIn(period, calendar.today())),
    /** Resolves with the counter with the most hits of each week, by its Monday. Ties by id. */
    leaders: cached(scanners, leadersFrom),
    /** Refuses new scans. Resolves when the current one has ended, after its next page. */
    async end(): Promise<void> {
      await Promise.all([scanners.owner.end(), scanners.strangers.end()]);
    },
  };
}

/** Builds a value from counters, one by one. */
interface Fold<Value> {
  /** The first day that it needs. Undefined if it needs totals only. */
  readonly since: Day | undefined;
  add(counter: ListedCounter): void;
  value(): Value;
}

function firstDayIn(period: Period, today: Day): Day | undefined {
  return period === "total" ? undefined : periodStart(period, today);
}

function sumIn(period: Period, today: Day): Fold<GroupSum> {
  let [hits, counters] = [0, 0];
  return {
    since: firstDayIn(period, today),
    add(counter) {
      hits += hitsIn(period, counter, today);
      counters++;
    },
    value: () => ({ hits: exact(hits), counters }),
  };
}

function historyFrom(first: Day): Fold<CounterState> {
  let total = 0;
  /** The hits of each known day, from the first one on. */
  const sums: number[] = [];
  let [oldest, newest] = [Infinity, -Infinity];
  return {
    since: first,
    add({ hits, days }) {
      total += hits;
      if (days === undefined) return;
      newest = Math.max(newest, days.newest);
      for (let back = 0; back < days.hits.length && days.newest - back >= first; back++) {
        const day = days.newest - back;
        sums[day - first] = (sums[day - first] ?? 0) + (days.hits[back] ?? 0);
        oldest = Math.min(oldest, day);
      }
    },
    value() {
      const length = Math.max(0, newest - oldest + 1);
      const hits = Array.from({ length }, (_, back) => exact(sums[newest - back - first] ?? 0));
      const days = Number.isFinite(newest) ? { newest, hits } : undefined;
      return { hits: exact(total), days };
    },
  };
}

function rankingIn(period: Period, today: Day): Fold<readonly RankedCounter[]> {
  let ranked: RankedCounter[] = [];
  const best = () => ranked.sort(byHits).slice(0, MAX_RANKED);
  return {
    since: firstDayIn(period, today),
    add(counter) {
      ranked.push({ id: counter.id, hits: hitsIn(period, counter, today) });
      if (ranked.length >= 10 * MAX_RANKED) ranked = best();
    },
    value: best,
  };
}

/** Finds the leaders of weeks with hits. `first` is a Monday. */
function leadersFrom(first: Day): Fold<ReadonlyMap<Day, RankedCounter>> {
  const leaders = new Map<Day, RankedCounter>();
  return {
    since: first,
    add({ id, days = { newest: first, hits: [] } }) {
      const sums: number[] = [];
      for (let back = 0; back < days.hits.length && days.newest - back >= first; back++) {
        const week = Math.floor((days.newest - back - first) / 7);
        sums[week] = (sums[week] ?? 0) + (days.hits[back] ?? 0);
      }
      sums.forEach((hits, week) => {
        const best = leaders.get(first + 7 * week) ?? { id, hits: 0 };
        if (hits > 0 && byHits({ id, hits }, best) < 0) leaders.set(first + 7 * week, { id, hits });
      });
    },
    value: () => leaders,
  };
}

function byHits(one: RankedCounter, other: RankedCounter): number {
  return other.hits - one.hits || (one.id < other.id ? -1 : 1);
}

function exact(sum: number): number {
  if (sum <= MAX_HITS) return sum;
  throw new Failure("group-too-large", {
    detail: "The counters of this group add up to more than 2^52.",
  });
}

/** Caches the results of scans. All callers that need the same new result share one scan. */
function cached<Parameter, Value>(
  scanners: Readonly<Record<"owner" | "strangers", Scanner>>,
  foldFor: (parameter: Parameter) => Fold<Value>,
): (prefix: CounterId, parameter: Parameter, isOwner?: boolean) => Promise<Value> {
  /** `began` is the start of the scan, by `performance.now()`. */
  const results = new BoundedMap<string, { began: number; value: Value | Failure }>(CACHE_SIZE);
  const inFlight = new Map<string, Promise<Value>>();

  return async (prefix, parameter, isOwner = false) => {
    const name = `${parameter} ${prefix}`;
    const known = results.get(name);
    // A result that is asked for again is evicted later, and not by the prefixes of strangers.
    if (known !== undefined) results.set(name, known);
    const find = async (): Promise<Value> => {
      const fold = foldFor(parameter);
      const scanner = isOwner ? scanners.owner : scanners.strangers;
      try {
        const began = await scanner.scan(prefix, fold, isOwner || known !== undefined);
        const value = fold.value();
        results.set(name, { began, value });
        return value;
      } catch (error) {
        // A prefix that is too large stays so for a while.
        if (error instanceof Failure && error.kind === "group-too-large") {
          results.set(name, { began: performance.now(), value: error });
        }
        throw error;
      }
    };
    const refresh = () => {
      // An owner does not wait for the scan of a stranger.
      const scan = `${isOwner} ${name}`;
      const value = inFlight.get(scan) ?? find().finally(() => inFlight.delete(scan));
      inFlight.set(scan, value);
      return value;
    };
    const age = known === undefined ? Infinity : performance.now() - known.began;
    if (known === undefined || age > MAX_AGE_MS) return await refresh();
    if (age > REFRESH_AGE_MS) refresh().catch(() => {});
    if (known.value instanceof Failure) throw known.value;
    return known.value;
  };
}

/** A scan that waits for its pass, or is part of the current one. */
interface ScanJob extends Pick<PromiseWithResolvers<number>, "resolve" | "reject"> {
  readonly prefix: string;
  readonly fold: Fold<unknown>;
  counters: number;
}

/** Goes through the counters in passes. One over all counters serves every scan that waits. */
class Scanner {
  #waiting: ScanJob[] = [];
  #passes: Promise<void> | undefined;
  #hasEnded = false;

  constructor(readonly options: GroupsOptions) {}

  /**
   * Resolves with the start of the pass. Throws `overloaded` if too many scans wait, unless this
   * one goes first.
   */
  scan(prefix: string, fold: Fold<unknown>, goesFirst: boolean): Promise<number> {
    if (this.#hasEnded) return Promise.reject(new Failure("shutting-down"));
    if (!goesFirst && this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new Failure("overloaded"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const job = { prefix, fold, counters: 0, resolve, reject };
    this.#waiting[goesFirst ? "unshift" : "push"](job);
    this.#passes ??= this.#passAll().finally(() => this.#passes = undefined);
    return promise;
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#passes;
  }

  async #passAll(): Promise<void> {
    // Scans that are requested in the same turn of the event loop may share the pass.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const jobs = this.#take();
      try {
        await this.#pass(jobs);
      } catch (error) {
        // The scans that wait would meet the same store, and time out one after another.
        for (const { reject } of [...jobs, ...this.#waiting.splice(0)]) reject(error);
      }
    }
  }

  #take(): Set<ScanJob> {
    const [first] = this.#waiting;
    const isNext = ({ prefix }: ScanJob) => !this.options.sortedById || prefix === first?.prefix;
    const jobs = this.#waiting.filter(isNext);
    this.#waiting = this.#waiting.filter((job) => !isNext(job));
    return new Set(jobs);
  }

  async #pass(jobs: Set<ScanJob>): Promise<void> {
    const began = performance.now();
    const since = jobs.values().reduce<Day | undefined>((least, { fold: { since } }) => {
      return since === undefined ? least : Math.min(since, least ?? since);
    }, undefined);
    for await (const { counters } of this.options.list({ prefix: commonPrefix(jobs), since })) {
      if (this.#hasEnded) throw new Failure("shutting-down");
      if (performance.now() - began > MAX_AGE_MS) {
        throw new Failure("store-unavailable", { detail: TOO_SLOW });
      }
      for (const job of jobs) {
        for (const counter of counters) {
          if (!counter.id.startsWith(job.prefix)) continue;
          job.counters++;
          job.fold.add(counter);
        }
        if (job.counters <= MAX_COUNTERS) continue;
        jobs.delete(job);
        job.reject(new Failure("group-too-large"));
      }
      if (jobs.size === 0) return;
    }
    for (const { resolve } of jobs) resolve(began);
  }
}

const TOO_SLOW =
  "The counters of this group could not be added up within 10 seconds: try again later.";

/** Returns the prefix of all jobs, or the empty one of all counters if they have several. */
function commonPrefix(jobs: ReadonlySet<ScanJob>): string {
  const [prefix = "", ...others] = new Set(jobs.values().map(({ prefix }) => prefix));
  return others.length === 0 ? prefix : "";
}
