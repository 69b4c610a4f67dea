import { beginningOf, hitsIn, parsePeriod, type Period, PERIODS } from "../counter/calendar.ts";
import { type Day, type Days, type Held, upTo } from "../counter/days.ts";
import type { Counters } from "../counting/counters.ts";
import type { FamilySum } from "../counting/families.ts";
import type { CounterAsked } from "../http/endpoint.ts";
import type { Parameter, Query } from "../http/query.ts";
import { Problem } from "../problem.ts";
import { Recent } from "../recent.ts";

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

/** What a badge shows: a number, or several beside each other. */
export type Shown = number | readonly number[];

/** The hits of a counter in the period that a query asks for: all of them where it names none. */
export function readPeriod(
  counters: Counters,
  { id, isFamily, query }: ReadOf<"period">,
): number | Promise<number> {
  const period = periodOf(query);
  if (isFamily) return readSum(counters, { id, query }).then(({ hits }) => hits);
  if (period === "total") return counters.count(id);
  const today = counters.calendar.today();
  return counters.history(id, beginningOf(period, today))
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
  counters: Pick<Counters, "families" | "history">,
  { id, isFamily, since }: Subject & { since: Day },
): Promise<Held> {
  return await (isFamily ? await counters.families() : counters).history(id, since);
}

/** The numbers that a query asks to be shown: those of its period, or those that `show` names. */
function readShown(
  counters: Counters,
  asked: ReadOf<"period" | "show">,
): Shown | Promise<Shown> {
  const { query } = asked;
  if (query.get("show") === undefined) return readPeriod(counters, asked);
  const today = counters.calendar.today();
  return readHistory(counters, { ...asked, since: today })
    .then((held) => shownOf(held, { query, today }));
}

/** The same, with the days of the last `count` days. */
function readShownWithDays(
  counters: Counters,
  { id, isFamily, query, count }: ReadOf<"period" | "show"> & { count: number },
): Promise<WithDays<Shown>> {
  const today = counters.calendar.today();
  const beginning = beginningOf(periodOf(query), today);
  const since = Math.min(today - count + 1, Number.isFinite(beginning) ? beginning : today);
  const show = (held: Held, today: Day) => shownOf(held, { query, today });
  return readWithDays(counters, { id, isFamily, since, show });
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
  throw new Problem("bad-query", { detail: "Send period or show, not both." });
}

/** Whether a request asks for the number that a counter holds. */
function asksForCount({ isFamily, query }: ReadOf<"period" | "show">): boolean {
  return !isFamily && query.get("show") === undefined && periodOf(query) === "total";
}

/** The period that a query asks for; whatever it says was accepted before. */
export function periodOf(query: Query<"period">): Period {
  const text = query.get("period");
  return (text === undefined ? undefined : parsePeriod(text)) ?? period.schema.default;
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

/** The days of a counter or a family up to today, from `since` on at least, and what `show` makes of all that it holds. */
export async function readWithDays<Shown>(
  counters: Pick<Counters, "calendar" | "families" | "history">,
  { show, ...asked }: Subject & { since: Day; show(held: Held, today: Day): Shown },
): Promise<WithDays<Shown>> {
  const held = await readHistory(counters, asked);
  const today = counters.calendar.today();
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
  /** The same, with the days of the last `count` days. */
  findWithDays(asked: Asked, count: number): Promise<WithDays<Shown>>;
  /** Throws every error on but that of a store that is away. */
  recover(error: unknown, asked: Asked): Latest;
}

/** A reader that remembers the numbers of periods and families; the counters remember what they hold. */
export function createLatest(counters: Counters): LatestReader {
  const shown = new Recent<string, Shown>(REMEMBERED);
  return {
    find(asked) {
      if (asksForCount(asked)) return counters.count(asked.id);
      return Promise.resolve(readShown(counters, asked)).then((numbers) => {
        shown.set(nameOf(asked), numbers);
        return numbers;
      });
    },
    async findWithDays(asked, count) {
      const found = await readShownWithDays(counters, { ...asked, count });
      if (!asksForCount(asked)) shown.set(nameOf(asked), found.shown);
      return found;
    },
    recover(error, asked) {
      const stale = asksForCount(asked) ? counters.lastSeen(asked.id) : shown.get(nameOf(asked));
      if (!(error instanceof Problem) || error.status !== 503 || stale === undefined) throw error;
      return { stale };
    },
  };
}

/** Tells whether the store was away when this was read. */
export function isStale(latest: Latest): latest is Stale {
  return typeof latest === "object" && "stale" in latest;
}

function nameOf({ id, isFamily, query }: Asked): string {
  const shown = query.get("show") ?? periodOf(query);
  return `${isFamily ? "family" : "counter"} ${shown} ${id}`;
}
