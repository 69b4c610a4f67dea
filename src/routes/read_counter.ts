import type { Counts } from "../badge/number.ts";
import { hitsIn, parsePeriod, type Period, PERIODS, periodStart } from "../counter/calendar.ts";
import { type CounterState, type Day, type Days, padToDay } from "../counter/days.ts";
import type { Counters } from "../counting/counters.ts";
import type { FamilySum } from "../counting/families.ts";
import type { CounterAsked } from "../http/endpoint.ts";
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
type ReadOf<Name extends string> = Subject & Pick<CounterAsked<Name>, "query">;

/** A counter, or a family that is read as if it were one. */
type Subject = Pick<CounterAsked, "id" | "isFamily">;

/** The hits of a counter in the period that a query asks for: all of them if it names none. */
export function readPeriod(
  counters: Counters,
  { id, isFamily, query }: ReadOf<"period">,
): number | Promise<number> {
  const period = periodOf(query);
  if (isFamily) return readSum(counters, { id, query }).then(({ hits }) => hits);
  if (period === "total") return counters.count(id);
  const today = counters.calendar.today();
  return counters.history(id, periodStart(period, today))
    .then((held) => hitsIn(period, { held, today }));
}

/** The hits of a family in the period that a query asks for, and how many counters it has. */
export async function readSum(
  counters: Counters,
  { id, query }: Pick<ReadOf<"period">, "id" | "query">,
): Promise<FamilySum> {
  return await (await counters.families()).sum(id, periodOf(query));
}

/** What a counter or a family holds, with its days from `since` on at least. */
export async function readHistory(
  counters: Counters,
  { id, isFamily, since }: Subject & { since: Day },
): Promise<CounterState> {
  return await (isFamily ? await counters.families() : counters).history(id, since);
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
  { id, isFamily, query, count }: ReadOf<"period" | "show"> & { count: number },
): Promise<WithDays<Counts>> {
  const today = counters.calendar.today();
  const beginning = periodStart(periodOf(query), today);
  const since = Math.min(today - count + 1, Number.isFinite(beginning) ? beginning : today);
  const valueOf = (held: CounterState, today: Day) => countsOf(held, { query, today });
  return readWithDays(counters, { id, isFamily, since, valueOf });
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
function asksForTotal({ isFamily, query }: ReadOf<"period" | "show">): boolean {
  return !isFamily && query.get("show") === undefined && periodOf(query) === "total";
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

/** What a badge shows: the counts as they are, or as they were. */
export type Latest = Counts | Stale;

type Asked = ReadOf<"period" | "show">;

/** How many counters' counts of periods are remembered for sure. */
const REMEMBERED = 10_000;

/** Reads what badges show, and falls back to what was read last while the store is unavailable. */
export interface LatestReader {
  find(asked: Asked): Latest | Promise<Latest>;
  /** The same, with the days of the last `count` days. */
  findWithDays(asked: Asked, count: number): Promise<WithDays<Counts>>;
  /** Throws the error on unless it is a 503 and something was read before. */
  recover(error: unknown, asked: Asked): Latest;
}

/** A reader that remembers the counts of periods and families; totals are remembered by the counters. */
export function createLatestReader(counters: Counters): LatestReader {
  const remembered = new BoundedMap<string, Counts>(REMEMBERED);
  return {
    find(asked) {
      if (asksForTotal(asked)) return counters.count(asked.id);
      return Promise.resolve(readCounts(counters, asked)).then((counts) => {
        remembered.set(cacheKeyOf(asked), counts);
        return counts;
      });
    },
    async findWithDays(asked, count) {
      const found = await readCountsWithDays(counters, { ...asked, count });
      if (!asksForTotal(asked)) remembered.set(cacheKeyOf(asked), found.value);
      return found;
    },
    recover(error, asked) {
      const stale = asksForTotal(asked)
        ? counters.lastSeen(asked.id)
        : remembered.get(cacheKeyOf(asked));
      if (!(error instanceof Problem) || error.status !== 503 || stale === undefined) throw error;
      return { stale };
    },
  };
}

export function isStale(latest: Latest): latest is Stale {
  return typeof latest === "object" && "stale" in latest;
}

function cacheKeyOf({ id, isFamily, query }: Asked): string {
  const counts = query.get("show") ?? periodOf(query);
  return `${isFamily ? "family" : "counter"} ${counts} ${id}`;
}
