import type { Counters } from "../counting/counters.ts";
import type { Day, Held } from "../counter/days.ts";
import { beginningOf, hitsIn, parsePeriod, type Period } from "../counter/period.ts";
import { Problem } from "../problem.ts";
import type { CounterRequest } from "./counter_endpoint.ts";
import { period as periodParameter } from "./parameters.ts";
import type { Query } from "./query.ts";
import { readWithDays, type WithDays } from "./recent_days.ts";

/** What a badge shows: a number, or several beside each other. */
export type Shown = number | readonly number[];

/** The hits of a counter in the period that a query asks for: all of them where it names none. */
export function readPeriod(
  counters: Counters,
  { id, query }: Pick<CounterRequest<"period">, "id" | "query">,
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
  { id, query }: Pick<CounterRequest<"period" | "show">, "id" | "query">,
): Shown | Promise<Shown> {
  if (query.get("show") === undefined) return readPeriod(counters, { id, query });
  const today = counters.calendar.today();
  return counters.history(id, today).then((held) => shownOf(held, { query, today }));
}

/** The same, with the days of the last `count` days. */
export function readShownWithDays(
  counters: Counters,
  { id, query, count }: Pick<CounterRequest<"period" | "show">, "id" | "query"> & { count: number },
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
