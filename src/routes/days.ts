import { type Day, parseDay } from "../domain/history.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { jsonResponse } from "../http/response.ts";
import { json, operation, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import { type Range, readRange } from "../read_counter.ts";
import type { Service } from "../service.ts";

/** Maximum number of days in a response: ten years. */
const MAX_DAYS = 3660;
/** Number of days if the query does not say. */
const DEFAULT_DAYS = 30;

const DAYS = success("The days, oldest first.", json("Days"));

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

/** `GET /days`: the hits of single days, as far back as history goes. */
export function days({ counters, readPolicy }: Service): Endpoint {
  const { calendar } = counters;
  return endpoint("counter or prefix", {
    summary: "Read the hits of each day",
    description: "Days without hits are 0. Days before the history of the counter are left out.",
    parameters: [fromDay, toDay],
    parse: (query) => parseRange(query, calendar.today()),
    async respond({ id, isPrefix, grant }, range) {
      const { total, days } = await readRange(counters, { id, isPrefix, grant }, range);
      const subject = isPrefix ? { prefix: id } : { id };
      const body = { ...subject, total, timeZone: calendar.timeZone, days };
      return jsonResponse(body, readPolicy.cacheControl("no-store"));
    },
    openapi: operation("Counters", "Days", DAYS, STORE_PROBLEMS),
  });
}

function parseRange(query: { get(name: "from" | "to"): string | undefined }, today: Day): Range {
  const last = requestedDay(query.get("to")) ?? today;
  const first = requestedDay(query.get("from")) ?? last - DEFAULT_DAYS + 1;
  const length = last - first + 1;
  if (length >= 1 && length <= MAX_DAYS) return { first, last };
  throw new Problem("bad-query", {
    detail: `A range has 1 to ${MAX_DAYS} days, and from must not be after to.`,
  });
}

/** Parses a day. Returns undefined if it is left out. */
function requestedDay(text: string | undefined): Day | undefined {
  const day = text === undefined ? undefined : parseDay(text);
  if (text === undefined || day !== undefined) return day;
  throw new Problem("bad-query", {
    detail: "`from` and `to` must be dates such as 2026-11-20, not before 1970.",
  });
}
