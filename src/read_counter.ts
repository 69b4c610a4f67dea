import type { Counts } from "./drawing/number.ts";
import { hitsIn, isPeriod, type Period, PERIODS, periodStart } from "./domain/calendar.ts";
import {
  type CounterState,
  type Day,
  type Days,
  dropBefore,
  formatDay,
  padToDay,
} from "./domain/history.ts";
import type { Counters } from "./counters/counters.ts";
import type { CounterContext } from "./http/endpoint.ts";
import type { Parameter, Query } from "./http/query.ts";
import { Problem, problemOf } from "./problem.ts";
import { BoundedMap } from "./bounded_map.ts";

/** Limits the hits to some days. */
export const period = {
  name: "period",
  meaning:
    "Only the hits of these days, in the time zone of the service. All but `yesterday` include today.",
  schema: { type: "string", default: "total", enum: PERIODS },
  isStrict: true,
} as const satisfies Parameter;

/** Shows two numbers on a badge. */
export const show = {
  name: "show",
  meaning: "`today/total` shows both numbers, as in 12 / 3,456.",
  schema: { type: "string", enum: ["today/total"] },
  isStrict: true,
} as const satisfies Parameter;

/** A counter, or all counters with a prefix, which are read as one. */
type Subject = Pick<CounterContext, "id" | "isPrefix"> & {
  readonly grant?: CounterContext["grant"] | undefined;
};

/** The part of a request for a badge that says what it reads. */
type BadgeContext = Subject & { readonly query: Query<"period" | "show"> };

/** Returns the period that a query asks for, whose text was accepted before. */
export function periodOf(query: Query<"period">): Period {
  const text = query.get("period") ?? "";
  return isPeriod(text) ? text : period.schema.default;
}

/** Throws "bad-query" for a query with both parameters, because each names the counts to show. */
export function checkPeriodOrShow(query: Query<"period" | "show">): void {
  if (query.get("show") === undefined || query.get("period") === undefined) return;
  throw new Problem("bad-query", { detail: "Send period or show, not both." });
}

/** Returns the hits of a counter or a prefix in the period that a query asks for. */
export function readPeriod(
  counters: Counters,
  { id, isPrefix, query, grant }: Subject & { query: Query<"period"> },
): number | Promise<number> {
  const period = periodOf(query);
  if (isPrefix) {
    return counters.groups.sum(id, period, grant === "secret").then(({ hits }) => hits);
  }
  if (period === "total") return counters.total(id);
  const today = counters.calendar.today();
  return counters.history(id, periodStart(period, today))
    .then((state) => hitsIn(period, state, today));
}

/** Resolves with the state of a counter or a prefix, with its days up to today, from `since` on. */
export async function readDays(
  counters: Counters,
  { id, isPrefix, since, grant }: Subject & { since: Day },
): Promise<CounterState & { readonly days: Days }> {
  const state = isPrefix
    ? await counters.groups.history(id, since, grant === "secret")
    : await counters.history(id, since);
  const newest = counters.calendar.today();
  return { ...state, days: padToDay(state.days ?? { newest, hits: [] }, newest) };
}

/** A range of days, both included. */
export interface Range {
  readonly first: Day;
  readonly last: Day;
}

/** The total of a counter or a prefix, and the known days of a range, oldest first. */
interface RangeCounts {
  readonly total: number;
  readonly days: readonly { readonly day: string; readonly hits: number }[];
  /** The first known day that was read. Null if there is none. */
  readonly firstDay: string | null;
  /** The hits before that day. */
  readonly older: number;
}

/** Resolves with the counts of a range. Reads the days from `since` on. */
export async function readRange(
  counters: Counters,
  target: Subject,
  { first, last, since = first }: Range & { since?: Day },
): Promise<RangeCounts> {
  const state = await readDays(counters, { ...target, since });
  const all = state.days.hits;
  const firstDay = all.length === 0 ? null : formatDay(state.days.newest - all.length + 1);
  const older = Math.max(0, state.hits - all.reduce((sum, number) => sum + number, 0));
  const { newest, hits } = dropBefore(state.days, first);
  // A range that ends today ends with the newest day, as periods do, because a clock may be ahead.
  const end = last === counters.calendar.today() ? newest : last;
  const known = hits
    .map((number, index) => ({ day: newest - index, hits: number }))
    .filter(({ day }) => day <= end)
    .map(({ day, hits }) => ({ day: formatDay(day), hits }))
    .reverse();
  return { total: state.hits, days: known, firstDay, older };
}

/** The counts that a badge shows. */
export interface BadgeCounts {
  readonly counts: Counts;
  /** The days up to today. Undefined if they were not asked for or cannot be read. */
  readonly days?: Days;
  /** True if the store is unavailable, and these counts are the last that were read. */
  readonly isStale?: boolean;
}

/** Capacity of the cache of counts of periods. */
const CACHE_SIZE = 10_000;

/**
 * Reads the counts that badges show, or the last known ones while the store is unavailable. Caches
 * the counts of periods and prefixes. The counters cache totals.
 */
export function createLatestReader(counters: Counters) {
  const cache = new BoundedMap<string, Counts>(CACHE_SIZE);

  async function readCounts(context: BadgeContext, dayCount: number): Promise<BadgeCounts> {
    const { id, isPrefix, query, grant } = context;
    const showsToday = query.get("show") !== undefined;
    if (dayCount === 0 && !showsToday) return { counts: await readPeriod(counters, context) };
    const period = periodOf(query);
    const today = counters.calendar.today();
    const start = periodStart(period, today);
    const since = Math.min(today - dayCount + 1, Number.isFinite(start) ? start : today);
    const state = await readDays(counters, { id, isPrefix, since, grant });
    const { days, hits } = state;
    const inPeriod = (period: Period) => hitsIn(period, state, days.newest);
    return { counts: showsToday ? [inPeriod("today"), hits] : inPeriod(period), days };
  }

  /**
   * Returns the counts that a query asks for, with the last `dayCount` days if there are any to
   * read. Rejects if the counts were never read, and for any problem but a 503.
   */
  return (context: BadgeContext, dayCount = 0): BadgeCounts | Promise<BadgeCounts> => {
    const { id } = context;
    const key = cacheKey(context, counters.calendar.today());
    const isTotal = dayCount === 0 && key === undefined;
    const found: number | Promise<number | BadgeCounts> = isTotal
      ? counters.total(id)
      : readCounts(context, dayCount);
    // Most totals are known at once, and need no promise.
    if (typeof found === "number") return { counts: found };
    return found.then((found) => {
      const read = typeof found === "number" ? { counts: found } : found;
      if (key !== undefined) cache.set(key, read.counts);
      return read;
    }, (error) => {
      const counts = key === undefined ? counters.lastKnown(id) : cache.get(key);
      if (problemOf(error)?.status !== 503 || counts === undefined) throw error;
      return { counts, isStale: true };
    });
  };
}

/**
 * Returns the key of cached counts, of which those of days hold for one day. Returns undefined for
 * totals, which the counters cache.
 */
function cacheKey({ id, isPrefix, query }: BadgeContext, today: Day): string | undefined {
  const counts = query.get("show") ?? periodOf(query);
  if (!isPrefix && counts === "total") return undefined;
  return `${isPrefix ? "prefix" : "counter"} ${counts === "total" ? "" : today} ${counts} ${id}`;
}
