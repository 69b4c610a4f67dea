import {
  type CounterState,
  type Day,
  dropBefore,
  formatDay,
  padToDay,
  parseDay,
} from "../counter/days.ts";
import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, readEndpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { Problem } from "../problem.ts";
import { readHistory } from "./read_counter.ts";
import type { Service } from "./service.ts";

/** How many days an answer has at most: ten years. */
const MOST_DAYS = 3660;
/** How many it has if the query does not say. */
const USUAL_DAYS = 30;

/** The first day of a range. */
const fromDay = {
  name: "from",
  meaning: "The first day, such as 2026-11-01. The default is 29 days before the last.",
  schema: { type: "string", format: "date" },
} as const satisfies Parameter;

/** The last day of a range. */
const toDay = {
  name: "to",
  meaning: "The last day, such as 2026-11-30. The default is today.",
  schema: { type: "string", format: "date" },
} as const satisfies Parameter;

/** A range of days, both included. */
interface Range {
  readonly first: Day;
  readonly last: Day;
}

/** `GET /days`: the hits of single days, as far back as history goes. */
export function days({ counters, reads }: Service): Endpoint {
  const { calendar } = counters;
  const headers = headersOf("json", reads.sharing("no-store"));
  return readEndpoint({
    summary: "Read the hits of each day",
    parameters: [fromDay, toDay],
    errors: "json",
    understand: (query) => rangeOf(query, calendar.today()),
    find: ({ id, isFamily, understood: { first } }) =>
      readHistory(counters, { id, isFamily, since: first }),
    answer(held, { id, isFamily, understood: range }) {
      const { timeZone } = calendar;
      const days = daysIn(range, { held, today: calendar.today() });
      const subject = isFamily ? { prefix: id } : { id };
      return answer(JSON.stringify({ ...subject, total: held.hits, timeZone, days }), headers);
    },
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Days",
      tags: ["Counters"],
      description: "Days without hits are 0. Days before the history of the counter are left out.",
      answers: { 200: fresh("The days, oldest first.", bodies.days) },
      problems: STORE_PROBLEMS,
    }),
  });
}

function rangeOf(query: { get(name: "from" | "to"): string | undefined }, today: Day): Range {
  const last = dayOf(query.get("to")) ?? today;
  const first = dayOf(query.get("from")) ?? last - USUAL_DAYS + 1;
  const length = last - first + 1;
  if (length >= 1 && length <= MOST_DAYS) return { first, last };
  throw new Problem("bad-query", {
    detail: `A range has 1 to ${MOST_DAYS} days, and from must not be after to.`,
  });
}

/** The day that a parameter names; undefined if it is left out. */
function dayOf(text: string | undefined): Day | undefined {
  const day = text === undefined ? undefined : parseDay(text);
  if (text === undefined || day !== undefined) return day;
  throw new Problem("bad-query", {
    detail: "A day is written like 2026-11-20, and the earliest year is 1970.",
  });
}

function daysIn(
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
