import { type Calendar, hitsIn, type Period, periodStart } from "../counter/calendar.ts";
import type { CounterId } from "../counter/counter_id.ts";
import { type CounterState, type Day, firstDayOf, yearOf } from "../counter/days.ts";
import { type ListedCounter, type ListOptions, type ListPage, MAX_HITS } from "../counter/store.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";
import { yieldToHits } from "./batcher.ts";

/** How old a sum may be, counted from the beginning of its scan, as any counter in it may have been read then. */
const MAX_AGE_MS = 10_000;
/**
 * From which age on a sum that is asked for is made again, while the callers still get this one. Late, because a scan takes
 * time from hits; what is left until the sum is too old has to do for a scan of the largest family.
 */
const REFRESH_AGE_MS = 6500;
/** How long a scan that nobody waits for leaves time to hits: it would not be done in time otherwise. */
const YIELDING_MS = 2500;
/** The same where somebody waits: image proxies give up after four seconds. */
const AWAITED_YIELDING_MS = 1500;
/** After a page, the store is left to hits for this many times as long as the page took. */
const HITS_SHARE = 3;
/** How many counters a family may have. */
const MAX_COUNTERS = 100_000;
/** How many scans may wait: anyone may ask for a family that nobody has. */
const MAX_WAITING = 100;
/** How many results are remembered for sure. */
const REMEMBERED = 200;
/** How many counters a ranking has. */
const MAX_RANKED = 100;

/** The hits of the counters of a family in a period. */
export interface FamilySum {
  readonly hits: number;
  readonly counters: number;
}

/** A counter of a ranking. */
export interface RankedCounter {
  readonly id: CounterId;
  readonly hits: number;
}

/**
 * What the counters whose ids begin with a prefix hold together, which is at most ten seconds old: each counter is taken
 * into account as it was at some instant in that time.
 */
export interface Families {
  sum(prefix: CounterId, period: Period): Promise<FamilySum>;
  /** The sums of the totals and of each day from `since` on at least; throws what {@linkcode sum} throws. */
  history(prefix: CounterId, since: Day): Promise<CounterState>;
  /** The counters with the most hits in a period, at most 100, the first first; of equals the one with the lesser id. */
  ranking(prefix: CounterId, period: Period): Promise<readonly RankedCounter[]>;
  /** Ends the scan that goes on. */
  end(): Promise<void>;
}

export interface FamiliesOptions {
  list(options: ListOptions): AsyncIterable<ListPage>;
  /** Whether counters with similar ids lie near each other, so that a scan passes over no other family. */
  byId: boolean;
  calendar: Calendar;
  hitsWait(): boolean;
}

/** Scans the families that are asked for; throws "family-too-large" for one that takes too long to be added up. */
export function createFamilies(options: FamiliesOptions): Families {
  const scanner = new Scanner(options);
  const sums = new Cache<FamilySum>(scanner);
  const histories = new Cache<CounterState>(scanner);
  const rankings = new Cache<readonly RankedCounter[]>(scanner);
  const { calendar } = options;

  function sinceOf(period: Period): Day | undefined {
    return period === "total" ? undefined : periodStart(period, calendar.today());
  }

  return {
    sum(prefix, period) {
      return sums.get(`${period} ${prefix}`, () => {
        return { prefix, since: sinceOf(period), fold: sumOf(period, calendar.today()) };
      });
    },
    history(prefix, since) {
      // Whole years: as many scans as there are days would be asked for otherwise, and a year is one entry anyway.
      const first = firstDayOf(yearOf(since));
      return histories.get(`${first} ${prefix}`, () => {
        return { prefix, since: first, fold: historyFrom(first) };
      });
    },
    ranking(prefix, period) {
      return rankings.get(`${period} ${prefix}`, () => {
        return { prefix, since: sinceOf(period), fold: rankingOf(period, calendar.today()) };
      });
    },
    end: () => scanner.end(),
  };
}

/** What is made of the counters of a family, one by one. */
interface Fold<Value> {
  add(counter: ListedCounter): void;
  value(): Value;
}

/** What is to be found out about a family. */
interface Scan<Value> {
  readonly prefix: string;
  /** From which day on the days of the counters are needed; undefined for none. */
  readonly since: Day | undefined;
  readonly fold: Fold<Value>;
}

function sumOf(period: Period, today: Day): Fold<FamilySum> {
  let [hits, counters] = [0, 0];
  return {
    add(held) {
      hits += hitsIn(period, { held, today });
      counters++;
    },
    value: () => ({ hits: exact(hits), counters }),
  };
}

function historyFrom(first: Day): Fold<CounterState> {
  let total = 0;
  /** The hits of the first day and of those after it, as far as any are known. */
  const sums: number[] = [];
  let [oldest, newest] = [Infinity, -Infinity];
  return {
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

function rankingOf(period: Period, today: Day): Fold<readonly RankedCounter[]> {
  let ranked: RankedCounter[] = [];
  let least = -1;

  function cut(): void {
    ranked = ranked.sort(byHits).slice(0, MAX_RANKED);
    least = ranked[MAX_RANKED - 1]?.hits ?? -1;
  }

  return {
    add(counter) {
      const hits = hitsIn(period, { held: counter, today });
      // Of equals one that comes later may have the lesser id.
      if (hits < least) return;
      ranked.push({ id: counter.id, hits });
      if (ranked.length >= 10 * MAX_RANKED) cut();
    },
    value() {
      cut();
      return ranked;
    },
  };
}

function byHits(one: RankedCounter, other: RankedCounter): number {
  return other.hits - one.hits || (one.id < other.id ? -1 : 1);
}

function exact(sum: number): number {
  if (sum <= MAX_HITS) return sum;
  throw new Problem("family-too-large", {
    detail: "The counters of this family add up to more than 2^53-1.",
  });
}

/** What a scan came to. */
interface Result<Value> {
  /** When it began, by `performance.now()`. */
  readonly began: number;
  readonly value: Value | Problem;
}

/** Results that are young enough, and the scans for those that are not: one for all callers that ask in the meantime. */
class Cache<Value> {
  readonly #scanner: Scanner;
  readonly #results = new BoundedMap<string, Result<Value>>(REMEMBERED);
  readonly #underWay = new Map<string, Promise<Value>>();

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  async get(name: string, scan: () => Scan<Value>): Promise<Value> {
    const known = this.#results.get(name);
    const age = known === undefined ? Infinity : performance.now() - known.began;
    if (known === undefined || age > MAX_AGE_MS) {
      return await this.#scan(name, scan, AWAITED_YIELDING_MS);
    }
    // Nobody waits for this one.
    if (age > REFRESH_AGE_MS) this.#scan(name, scan, YIELDING_MS).catch(() => {});
    if (known.value instanceof Problem) throw known.value;
    return known.value;
  }

  #scan(name: string, scan: () => Scan<Value>, yieldingMs: number): Promise<Value> {
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    const result = this.#scanner.scan(scan(), yieldingMs).then((result) => {
      this.#results.set(name, result);
      if (result.value instanceof Problem) throw result.value;
      return result.value;
    }).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, result);
    return result;
  }
}

/** A scan that waits for its pass, or goes on in it. */
interface Job extends Scan<unknown> {
  counters: number;
  /** How long its pass leaves time to hits at most. */
  readonly yieldingMs: number;
  /** `began` is that of the pass. */
  end(began: number): void;
  fail(reason: unknown): void;
}

/** Passes over the counters, one pass at a time; a pass over all counters serves every scan that waits. */
class Scanner {
  readonly #options: FamiliesOptions;
  #waiting: Job[] = [];
  #passes: Promise<void> | undefined;
  #hasEnded = false;

  constructor(options: FamiliesOptions) {
    this.#options = options;
  }

  /** Rejects with "store-unavailable" or "overloaded". */
  scan<Value>({ prefix, since, fold }: Scan<Value>, yieldingMs: number): Promise<Result<Value>> {
    if (this.#hasEnded) return Promise.reject(new Problem("store-unavailable"));
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new Problem("overloaded"));
    const { promise, resolve, reject } = Promise.withResolvers<Result<Value>>();
    this.#waiting.push({
      prefix,
      since,
      fold,
      counters: 0,
      yieldingMs,
      end(began) {
        try {
          resolve({ began, value: fold.value() });
        } catch (error) {
          this.fail(error);
        }
      },
      fail(reason) {
        // One that is too large stays so for a while.
        if (!(reason instanceof Problem) || reason.status !== 409) return reject(reason);
        resolve({ began: performance.now(), value: reason });
      },
    });
    this.#passes ??= this.#passAll().finally(() => this.#passes = undefined);
    return promise;
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#passes;
  }

  async #passAll(): Promise<void> {
    // What comes in the same turn of the event loop may share the pass.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const jobs = this.#take();
      try {
        await this.#pass(jobs);
      } catch (error) {
        for (const job of jobs) job.fail(error);
      }
    }
  }

  #take(): Set<Job> {
    const [first] = this.#waiting;
    const isNext = ({ prefix }: Job) => !this.#options.byId || prefix === first?.prefix;
    const jobs = this.#waiting.filter(isNext);
    this.#waiting = this.#waiting.filter((job) => !isNext(job));
    return new Set(jobs);
  }

  async #pass(jobs: Set<Job>): Promise<void> {
    const { list, hitsWait } = this.#options;
    const began = performance.now();
    const since = jobs.values().reduce<Day | undefined>((least, { since }) => {
      return since === undefined ? least : Math.min(since, least ?? since);
    }, undefined);
    const yieldsUntil = began + Math.min(...jobs.values().map(({ yieldingMs }) => yieldingMs));
    let pageBegan = began;
    for await (const { counters } of list({ prefix: commonPrefix(jobs), since })) {
      for (const job of jobs) add(counters, job);
      for (const job of jobs) {
        if (job.counters <= MAX_COUNTERS) continue;
        jobs.delete(job);
        job.fail(new Problem("family-too-large"));
      }
      if (jobs.size === 0) return;
      const now = performance.now();
      if (this.#hasEnded) throw new Problem("store-unavailable");
      if (now - began > MAX_AGE_MS) throw new Problem("store-unavailable", { detail: TOO_SLOW });
      if (now < yieldsUntil && hitsWait()) await yieldToHits(pageBegan, HITS_SHARE);
      pageBegan = performance.now();
    }
    for (const job of jobs) job.end(began);
  }
}

const TOO_SLOW =
  "The counters of this family could not be added up within 10 seconds: try again later.";

function add(counters: readonly ListedCounter[], job: Job): void {
  for (const counter of counters) {
    if (!counter.id.startsWith(job.prefix)) continue;
    job.counters++;
    job.fold.add(counter);
  }
}

function commonPrefix(jobs: Iterable<Job>): string {
  let common: string | undefined;
  for (const { prefix } of jobs) {
    let length = Math.min(prefix.length, common?.length ?? Infinity);
    while (common !== undefined && !prefix.startsWith(common.slice(0, length))) length--;
    common = prefix.slice(0, length);
  }
  return common ?? "";
}
