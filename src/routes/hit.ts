import {
  HIT_PARAMETERS,
  idempotencyKey,
  parseIdempotencyKey,
  refuseMistakenId,
} from "../hits/hit_policy.ts";
import { type Endpoint, endpoint, whenKnown } from "../http/endpoint.ts";
import { createResponse, flagHeader, headersFor } from "../http/response.ts";
import { HIT_PROBLEMS, json, operation, success } from "../openapi/responses.ts";
import type { Service } from "../service.ts";

const HEADERS = headersFor("json", "no-store");
const COUNTED = success("The new count.", json("Counter"));

/** `GET` and `POST /hit`: adds one and responds with the new number. */
export function hit({ counters, countHit, recentHits }: Service): Endpoint {
  return endpoint("counter", {
    summary: "Count a hit",
    description: "Prefetches, and crawlers with a key, get a response but are not counted. " +
      "Send the id in the query: a `POST` takes no body. Without `id`, the counter is `home`, " +
      "but `prefix`, `ids`, `counter` or `name` in its place is a 400.",
    parameters: HIT_PARAMETERS,
    parse: refuseMistakenId,
    respond(context) {
      const { id } = context;
      return whenKnown(countHit(context, parseIdempotencyKey(context)), (result) => {
        const { hits, flag } = recentHits.record(context, result);
        const body = JSON.stringify({ id, hits, source: counters.source });
        return createResponse(body, flag ? { ...HEADERS, ...flagHeader(flag) } : HEADERS);
      });
    },
    onProblem: (problem, query) => recentHits.recordProblem(problem, query),
    openapi: { ...operation("Counters", "Hit", COUNTED, HIT_PROBLEMS), headers: [idempotencyKey] },
  });
}
