import type { Counts } from "../badge/number.ts";
import { hitsIn, parsePeriod, type Period, PERIODS, periodStart } from "../counter/calendar.ts";
import { type CounterState, type Day, type Days, padToDay } from "../counter/days.ts";
import type { Counters } from "../counting/counters.ts";
import type { PrefixSum } from "../counting/prefixes.ts";
import type { CounterContext } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";

/** The stretch of time whose hits are meant. */
export const period = {
  name: "period",
  meaning:
    "Only the hits of these days, in the time zone of the service. All but `yesterday` include today.",
  schema: { type: "string", default: "total", enum: PERIODS },
  accepts: (text: string) => parsePeriod(text) !== undefined,
} as const satisfies Parameter;

/** More numbers than one on a badge. */
export const show = {
  name: "show",
  meaning: "`today/total` shows both numbers, as in 12 / 3,456.",
  schema: { type: "string", enum: ["today/total"] },
  accepts: (text: string) => text === "today/total",
} as const satisfies Parameter;

/** The part of a request that says what it reads. */
type ReadOf<Name extends string> = Subject & Pick<CounterContext<Name>, "query">;

/** A counter, or a family that is read as if it were one. */
type Subject = Pick<CounterContext, "id" | "isPrefix">;

/** The hits of a counter in the period that a query asks for: all of them if it names none. */
export function readPeriod(
  counters: Counters,
  { id, isPrefix, query }: ReadOf<"period">,
): number | Promise<number> {
  const period = periodOf(query);
  if (isPrefix) return readSum(counters, { id, query }).then(({ hits }) => hits);
  if (period === "total") return counters.count(id);
  const today = counters.calendar.today();
  return counters.history(id, periodStart(period, today))
    .then((held) => hitsIn(period, { held, today }));
}

/** The hits of a family in the period that a query asks for, and how many counters it has. */
export async function readSum(
  counters: Counters,
  { id, query }: Pick<ReadOf<"period">, "id" | "query">,
): Promise<PrefixSum> {
  return await counters.prefixes.sum(id, periodOf(query));
}

/** What a counter or a family holds, with its days from `since` on at least. */
export async function readHistory(
  counters: Counters,
  { id, isPrefix, since }: Subject & { since: Day },
): Promise<CounterState> {
  return await (isPrefix ? counters.prefixes : counters).history(id, since);
}

/** The counts that a query asks for: that of its period, or those that `show` names. */
function readCounts(
  counters: Counters,
  asked: ReadOf<"period" | "show">,
): Counts | Promise<Counts> {
  const { query } = asked;
  if (query.get("show") === undefined) return readPeriod(counters, asked);
  const today = counters.calendar.today();
  return readHistory(counters, { ...asked, since: today })
    .then((held) => countsOf(held, { query, today }));
}

/** The same, with the days of the last `count` days. */
function readCountsWithDays(
  counters: Counters,
  { id, isPrefix, query, count }: ReadOf<"period" | "show"> & { count: number },
): Promise<WithDays<Counts>> {
  const today = counters.calendar.today();
  const beginning = periodStart(periodOf(query), today);
  const since = Math.min(today - count + 1, Number.isFinite(beginning) ? beginning : today);
  const valueOf = (held: CounterState, today: Day) => countsOf(held, { query, today });
  return readWithDays(counters, { id, isPrefix, since, valueOf });
}

function countsOf(
  held: CounterState,
  { query, today }: { query: Query<"period" | "show">; today: Day },
): Counts {
  if (query.get("show") === undefined) return hitsIn(periodOf(query), { held, today });
  return [hitsIn("today", { held, today }), held.hits];
}

/** Throws "bad-query" for a query that gives both: each says which counts to show. */
export function checkPeriodOrShow(query: Query<"period" | "show">): void {
  if (query.get("show") === undefined || query.get("period") === undefined) return;
  throw new Problem("bad-query", { detail: "Send period or show, not both." });
}

/** Whether a request asks for the number that a counter holds. */
function asksForTotal({ isPrefix, query }: ReadOf<"period" | "show">): boolean {
  return !isPrefix && query.get("show") === undefined && periodOf(query) === "total";
}

/** The period that a query asks for; whatever it says was accepted before. */
export function periodOf(query: Query<"period">): Period {
  const text = query.get("period");
  return (text === undefined ? undefined : parsePeriod(text)) ?? period.schema.default;
}

/** What an image says in numbers, and the days up to today that it draws. */
export interface WithDays<Value> {
  readonly value: Value;
  readonly days: Days;
}

export function hasDays<Value>(found: Value | WithDays<Value>): found is WithDays<Value> {
  return typeof found === "object" && found !== null && "days" in found;
}

/** The days of a counter or a family up to today, from `since` on at least, and a value made of all that it holds. */
export async function readWithDays<Value>(
  counters: Counters,
  { valueOf, ...asked }: Subject & { since: Day; valueOf(held: CounterState, today: Day): Value },
): Promise<WithDays<Value>> {
  const held = await readHistory(counters, asked);
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

type ReadContext = ReadOf<"period" | "show">;

/** Minimum number of cached counts of periods. */
const CACHE_SIZE = 10_000;

/** Reads the counts that badges show. While the store is unavailable, returns the counts that were read last. */
export interface LatestReader {
  /** Rejects if the counts were never read, or for any problem but a 503. */
  read(context: ReadContext): Latest | Promise<Latest>;
  /** Does the same, with the days of the last `count` days. */
  readWithDays(context: ReadContext, count: number): Promise<WithDays<Counts> | Stale>;
}

/** Creates a reader that caches the counts of periods and prefixes; the counters cache totals. */
export function createLatestReader(counters: Counters): LatestReader {
  const cache = new BoundedMap<string, Counts>(CACHE_SIZE);

  function recover(error: unknown, context: ReadContext): Stale {
    const stale = asksForTotal(context)
      ? counters.lastSeen(context.id)
      : cache.get(cacheKey(context));
    if (!(error instanceof Problem) || error.status !== 503 || stale === undefined) throw error;
    return { stale };
  }

  return {
    read(context) {
      if (asksForTotal(context)) {
        const hits = counters.count(context.id);
        return typeof hits === "number" ? hits : hits.catch((error) => recover(error, context));
      }
      return Promise.resolve(readCounts(counters, context)).then((counts) => {
        cache.set(cacheKey(context), counts);
        return counts;
      }).catch((error) => recover(error, context));
    },
    async readWithDays(context, count) {
      try {
        const found = await readCountsWithDays(counters, { ...context, count });
        if (!asksForTotal(context)) cache.set(cacheKey(context), found.value);
        return found;
      } catch (error) {
        return recover(error, context);
      }
    },
  };
}

export function isStale(found: Latest | WithDays<Counts>): found is Stale {
  return typeof found === "object" && "stale" in found;
}

function cacheKey({ id, isPrefix, query }: ReadContext): string {
  const counts = query.get("show") ?? periodOf(query);
  return `${isPrefix ? "prefix" : "counter"} ${counts} ${id}`;
}
