import type { Counts } from "../badge/number.ts";
import { hitsIn, parsePeriod, type Period, PERIODS, periodStart } from "../counter/calendar.ts";
import {
  type CounterState,
  type Day,
  type Days,
  dropBefore,
  formatDay,
  padToDay,
} from "../counter/days.ts";
import type { Counters } from "../counting/counters.ts";
import type { PrefixSum } from "../counting/prefixes.ts";
import type { CounterContext } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";

/** Limits the hits to some days. */
export const period = {
  name: "period",
  meaning:
    "Only the hits of these days, in the time zone of the service. All but `yesterday` include today.",
  schema: { type: "string", default: "total", enum: PERIODS },
  accepts: (text: string) => parsePeriod(text) !== undefined,
} as const satisfies Parameter;

/** Shows two numbers on a badge. */
export const show = {
  name: "show",
  meaning: "`today/total` shows both numbers, as in 12 / 3,456.",
  schema: { type: "string", enum: ["today/total"] },
  accepts: (text: string) => text === "today/total",
} as const satisfies Parameter;

/** A counter, or all counters with a prefix, which are read as one. */
type Target = Pick<CounterContext, "id" | "isPrefix">;

/** The part of a request that says what it reads. */
type ReadContext<Name extends "period" | "show"> = Target & { readonly query: Query<Name> };
type BadgeContext = ReadContext<"period" | "show">;

/** Returns the period that a query asks for, whose text was accepted before. */
export function periodOf(query: Query<"period">): Period {
  const text = query.get("period");
  return (text === undefined ? undefined : parsePeriod(text)) ?? period.schema.default;
}

/** Throws "bad-query" for a query with both parameters, because each names the counts to show. */
export function checkPeriodOrShow(query: Query<"period" | "show">): void {
  if (query.get("show") === undefined || query.get("period") === undefined) return;
  throw new Problem("bad-query", { detail: "Send period or show, not both." });
}

/** Returns the hits of a counter or a prefix in the period that a query asks for. */
export function readPeriod(
  counters: Counters,
  context: ReadContext<"period">,
): number | Promise<number> {
  const { id, isPrefix, query } = context;
  if (isPrefix) return readSum(counters, context).then(({ hits }) => hits);
  const period = periodOf(query);
  if (period === "total") return counters.count(id);
  const today = counters.calendar.today();
  return counters.history(id, periodStart(period, today))
    .then((held) => hitsIn(period, { held, today }));
}

/** Resolves with the hits of a prefix in the period that a query asks for, and the number of its counters. */
export async function readSum(
  counters: Counters,
  { id, query }: Pick<ReadContext<"period">, "id" | "query">,
): Promise<PrefixSum> {
  return await counters.prefixes.sum(id, periodOf(query));
}

/** Resolves with the state of a counter or a prefix, with its days from `since` or earlier. */
export async function readHistory(
  counters: Counters,
  { id, isPrefix, since }: Target & { since: Day },
): Promise<CounterState> {
  return await (isPrefix ? counters.prefixes : counters).history(id, since);
}

/** A range of days, both included. */
export interface Range {
  readonly first: Day;
  readonly last: Day;
}

/** Returns the known days of a range, oldest first. */
export function daysIn(
  { first, last }: Range,
  { held, today }: { held: CounterState; today: Day },
): { day: string; hits: number }[] {
  if (held.days === undefined) return [];
  const { newest, hits } = dropBefore(padToDay(held.days, today), first);
  return hits
    .map((number, index) => ({ day: newest - index, hits: number }))
    .filter(({ day }) => day <= last)
    .map(({ day, hits }) => ({ day: formatDay(day), hits }))
    .reverse();
}

/** A value with the days up to today that an image draws. */
export interface WithDays<Value> {
  readonly value: Value;
  readonly days: Days;
}

export function hasDays<Value>(found: Value | WithDays<Value>): found is WithDays<Value> {
  return typeof found === "object" && found !== null && "days" in found;
}

/** Reads the days of a counter or a prefix from `since` or earlier up to today, and a value of its whole state. */
export async function readWithDays<Value>(
  counters: Counters,
  { valueOf, ...target }: Target & { since: Day; valueOf(held: CounterState, today: Day): Value },
): Promise<WithDays<Value>> {
  const held = await readHistory(counters, target);
  const today = counters.calendar.today();
  const known = held.days ?? { newest: today, hits: [] };
  return { value: valueOf(held, today), days: padToDay(known, today) };
}

/** The counts that were read last, because the store is unavailable. */
export interface Stale {
  readonly stale: Counts;
}

/** The counts that a badge shows: current or stale ones. */
export type Latest = Counts | Stale;

export function isStale(found: Latest | WithDays<Counts>): found is Stale {
  return typeof found === "object" && "stale" in found;
}

/** Minimum number of cached counts of periods. */
const CACHE_SIZE = 10_000;

/** Reads the counts that badges show. While the store is unavailable, returns the counts that were read last. */
export interface LatestReader {
  /** Rejects if the counts were never read, or for any problem but a 503. */
  read(context: BadgeContext): Latest | Promise<Latest>;
  /** Does the same, with the days of the last `count` days. */
  readWithDays(context: BadgeContext, count: number): Promise<WithDays<Counts> | Stale>;
}

/** Creates a reader that caches the counts of periods and prefixes; the counters cache totals. */
export function createLatestReader(counters: Counters): LatestReader {
  const cache = new BoundedMap<string, Counts>(CACHE_SIZE);

  function recover(error: unknown, context: BadgeContext): Stale {
    const stale = asksForTotal(context)
      ? counters.lastSeen(context.id)
      : cache.get(cacheKey(context));
    if (!(error instanceof Problem) || error.status !== 503 || stale === undefined) throw error;
    return { stale };
  }

  async function readCached(context: BadgeContext): Promise<Latest> {
    try {
      const counts = context.query.get("show") === undefined
        ? await readPeriod(counters, context)
        : (await readDays(context, 1)).value;
      cache.set(cacheKey(context), counts);
      return counts;
    } catch (error) {
      return recover(error, context);
    }
  }

  /** Reads the counts that a query asks for, with the days of the last `count` days. */
  function readDays({ id, isPrefix, query }: BadgeContext, count: number) {
    const today = counters.calendar.today();
    const start = periodStart(periodOf(query), today);
    const since = Math.min(today - count + 1, Number.isFinite(start) ? start : today);
    const valueOf = (held: CounterState, today: Day): Counts => {
      if (query.get("show") === undefined) return hitsIn(periodOf(query), { held, today });
      return [hitsIn("today", { held, today }), held.hits];
    };
    return readWithDays(counters, { id, isPrefix, since, valueOf });
  }

  return {
    read(context) {
      if (!asksForTotal(context)) return readCached(context);
      const hits = counters.count(context.id);
      return typeof hits === "number" ? hits : hits.catch((error) => recover(error, context));
    },
    async readWithDays(context, count) {
      try {
        const found = await readDays(context, count);
        if (!asksForTotal(context)) cache.set(cacheKey(context), found.value);
        return found;
      } catch (error) {
        return recover(error, context);
      }
    },
  };
}

/** Reports whether a request asks for the total of a counter. */
function asksForTotal({ isPrefix, query }: BadgeContext): boolean {
  return !isPrefix && query.get("show") === undefined && periodOf(query) === "total";
}

function cacheKey({ id, isPrefix, query }: BadgeContext): string {
  const counts = query.get("show") ?? periodOf(query);
  return `${isPrefix ? "prefix" : "counter"} ${counts} ${id}`;
}
