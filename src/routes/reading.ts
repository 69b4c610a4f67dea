import type { CounterId } from "../counter/counter_id.ts";
import { type Day, type Days, type Held, upTo } from "../counter/days.ts";
import { beginningOf, hitsIn, parsePeriod, type Period } from "../counter/period.ts";
import type { Counters } from "../counting/counters.ts";
import type { CounterAsked } from "../http/endpoint.ts";
import { period as periodParameter } from "../http/parameters.ts";
import type { Query } from "../http/query.ts";
import { Problem } from "../problem.ts";
import { Recent } from "../recent.ts";

/** The part of a request that says what it reads. */
type ReadOf<Name extends string> = Pick<CounterAsked<Name>, "id" | "query">;

/** What a badge shows: a number, or several beside each other. */
export type Shown = number | readonly number[];

/** The hits of a counter in the period that a query asks for: all of them where it names none. */
export function readPeriod(
  counters: Counters,
  { id, query }: ReadOf<"period">,
): number | Promise<number> {
  const period = periodOf(query);
  if (period === "total") return counters.count(id);
  const today = counters.calendar.today();
  return counters.history(id, beginningOf(period, today))
    .then((held) => hitsIn(period, { held, today }));
}

/** The numbers that a query asks to be shown: those of its period, or those that `show` names. */
export function readShown(
  counters: Counters,
  { id, query }: ReadOf<"period" | "show">,
): Shown | Promise<Shown> {
  if (query.get("show") === undefined) return readPeriod(counters, { id, query });
  const today = counters.calendar.today();
  return counters.history(id, today).then((held) => shownOf(held, { query, today }));
}

/** The same, with the days of the last `count` days. */
export function readShownWithDays(
  counters: Counters,
  { id, query, count }: ReadOf<"period" | "show"> & { count: number },
): Promise<WithDays<Shown>> {
  const today = counters.calendar.today();
  const beginning = beginningOf(periodOf(query), today);
  const since = Math.min(today - count + 1, Number.isFinite(beginning) ? beginning : today);
  const show = (held: Held, today: Day) => shownOf(held, { query, today });
  return readWithDays(counters, { id, since, show });
}

function shownOf(
  held: Held,
  { query, today }: { query: Query<"period" | "show">; today: Day },
): Shown {
  if (query.get("show") === undefined) return hitsIn(periodOf(query), { held, today });
  return [hitsIn("today", { held, today }), held.hits];
}

/** Throws the problem of a query that asks for two things to be shown. */
export function checkShown(query: Query<"period" | "show">): void {
  if (query.get("show") === undefined || query.get("period") === undefined) return;
  throw new Problem("bad-query", { detail: "Give period or show, not both." });
}

/** Whether a query asks for the number that a counter holds. */
export function asksForTotal(query: Query<"period" | "show">): boolean {
  return query.get("show") === undefined && periodOf(query) === "total";
}

/** Whatever the query says was accepted before. */
function periodOf(query: Query<"period">): Period {
  const text = query.get("period");
  const period = text === undefined ? undefined : parsePeriod(text);
  return period ?? periodParameter.schema.default;
}

/** What is to be shown, and the days up to today behind it. */
export interface WithDays<Shown> {
  readonly shown: Shown;
  readonly days: Days;
}

/** Whether there are days behind what is shown. */
export function hasDays<Shown>(found: Shown | WithDays<Shown>): found is WithDays<Shown> {
  return typeof found === "object" && found !== null && "days" in found;
}

/** The days of a counter up to today, from `since` on at least, and what `show` makes of all that it holds. */
export async function readWithDays<Shown>(
  { calendar, history }: Pick<Counters, "calendar" | "history">,
  { id, since, show }: { id: CounterId; since: Day; show(held: Held, today: Day): Shown },
): Promise<WithDays<Shown>> {
  const held = await history(id, since);
  const today = calendar.today();
  const known = held.days ?? { newest: today, hits: [] };
  return { shown: show(held, today), days: upTo(known, today) };
}

/** What was shown last, because the store is away. */
export interface Stale {
  readonly stale: Shown;
}

/** What there is to show, as it is or as it was. */
export type Latest = Shown | Stale;

type Asked = ReadOf<"period" | "show">;

/** How many counters' numbers of periods are remembered for sure. */
const REMEMBERED = 10_000;

/** Reads what badges show, and what was seen last while the store is away. */
export interface LatestReader {
  find(asked: Asked): Latest | Promise<Latest>;
  /** Throws every error on but that of a store that is away. */
  recover(error: unknown, asked: Asked): Latest;
}

/** A reader that remembers the numbers of periods; the counters remember what they hold. */
export function createLatest(counters: Counters): LatestReader {
  const shown = new Recent<string, Shown>(REMEMBERED);
  return {
    find(asked) {
      if (asksForTotal(asked.query)) return counters.count(asked.id);
      return Promise.resolve(readShown(counters, asked)).then((numbers) => {
        shown.set(nameOf(asked), numbers);
        return numbers;
      });
    },
    recover(error, asked) {
      const stale = asksForTotal(asked.query)
        ? counters.lastSeen(asked.id)
        : shown.get(nameOf(asked));
      if (!(error instanceof Problem) || error.status !== 503 || stale === undefined) throw error;
      return { stale };
    },
  };
}

/** Tells whether the store was away when this was read. */
export function isStale(latest: Latest): latest is Stale {
  return typeof latest === "object" && "stale" in latest;
}

function nameOf({ id, query }: Asked): string {
  return `${query.get("period") ?? query.get("show")} ${id}`;
}
