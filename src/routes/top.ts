import { answer, type CorsPolicy, headersOf } from "../http/answer.ts";
import { type Endpoint, familyEndpoint } from "../http/endpoint.ts";
import { period } from "../http/parameters.ts";
import type { Parameter } from "../http/query.ts";
import { periodOf } from "./reading.ts";
import type { Service } from "./service.ts";

const limit = {
  name: "limit",
  meaning: "How many counters to list.",
  schema: { type: "integer", default: 10, minimum: 1, maximum: 100 },
  accepts: (text: string) => /^(?:[1-9]\d?|100)$/.test(text),
} as const satisfies Parameter;

/** `GET /top`: the counters of a family with the most hits. It reveals ids, so that reads that are open do not open it. */
export function top({ counters }: Service): Endpoint {
  const headers = (cors: CorsPolicy) => headersOf("json", { cacheControl: "no-store", cors });
  const headersFor = { none: headers("none"), any: headers("any") };
  return familyEndpoint({
    summary: "List the counters of a family with the most hits",
    parameters: [period, limit],
    errors: "json",
    async find({ id, query }) {
      const ranking = await (await counters.families()).ranking(id, periodOf(query));
      return ranking.slice(0, Number(query.get("limit") ?? limit.schema.default));
    },
    answer(ranked, { id, query, grant }) {
      const body = {
        prefix: id,
        period: periodOf(query),
        counters: ranked,
        source: counters.source,
      };
      return answer(JSON.stringify(body), headersFor[grant === "secret" ? "none" : "any"]);
    },
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Top",
      tags: ["Counters"],
      description: "The first first; of equals, the one with the lesser id. At most 10 s old.",
      answers: { 200: fresh("The counters.", bodies.top) },
      problems: STORE_PROBLEMS.filter((status) => status !== 504),
    }),
  });
}
