import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { createResponse, headersFor } from "../http/response.ts";
import { bodies, fresh, STORE_PROBLEMS } from "../openapi/responses.ts";
import { daysIn, readHistory } from "./read_counter.ts";
import type { Service } from "./service.ts";

/** Number of days on a shared page: those of its longest chart. */
const SHARED_DAYS = 400;
/** Number of counters on a shared page. */
const SHARED_COUNTERS = 20;

const PRIVATE = "private, no-store";

/** `GET /p.json`: all data of a shared page. */
export function sharedData({ counters }: Service): Endpoint {
  const headers = headersFor("json", PRIVATE);
  return endpoint("prefix", {
    summary: "Read all data of a shared page",
    async respond({ id }) {
      const today = counters.calendar.today();
      const range = { first: today - SHARED_DAYS + 1, last: today };
      const [held, ranking] = await Promise.all([
        readHistory(counters, { id, isPrefix: true, since: range.first }),
        counters.prefixes.ranking(id, "total"),
      ]);
      const days = daysIn(range, { held, today });
      const body = {
        prefix: id,
        total: held.hits,
        since: days[0]?.day ?? null,
        days,
        counters: ranking.slice(0, SHARED_COUNTERS),
      };
      return createResponse(JSON.stringify(body), headers);
    },
    openapi: {
      name: "SharedData",
      tags: ["Counters"],
      description:
        `The last ${SHARED_DAYS} days and the ${SHARED_COUNTERS} counters with the most hits, ` +
        "at most 10 s old.",
      responses: fresh("The data.", bodies.shared),
      problems: STORE_PROBLEMS.filter((status) => status !== 504),
    },
  });
}
