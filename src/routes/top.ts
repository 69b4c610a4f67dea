import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Parameter } from "../http/query.ts";
import { jsonResponse } from "../http/response.ts";
import { json, operation, STORE_PROBLEMS, success } from "../openapi/responses.ts";
import { period, periodOf } from "../read_counter.ts";
import type { Service } from "../service.ts";

const limit = {
  name: "limit",
  meaning: "How many counters to list.",
  schema: { type: "integer", default: 10, minimum: 1, maximum: 100 },
  isStrict: true,
} as const satisfies Parameter;

const TOP = success("The counters.", json("Top"));

/** `GET /top`: the most hit counters of a prefix. Never public, because it reveals ids. */
export function top({ counters }: Service): Endpoint {
  return endpoint("prefix", {
    summary: "List the counters of a group with the most hits",
    description: "The highest first, and ties by id. The numbers are at most 10 s old.",
    parameters: [period, limit],
    async respond({ id, query, grant }) {
      const period = periodOf(query);
      const ranking = await counters.groups.ranking(id, period, grant === "secret");
      const body = {
        prefix: id,
        period,
        counters: ranking.slice(0, Number(query.get("limit") ?? limit.schema.default)),
        source: counters.source,
      };
      return jsonResponse(body, "private, no-store");
    },
    openapi: operation("Counters", "Top", TOP, STORE_PROBLEMS),
  });
}
