import { answer, type Audience, headersOf, remarkOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { idempotencyKeyOf } from "../hits/hit_policy.ts";
import { once, visitor } from "../http/parameters.ts";

/** `GET` and `POST /hit`: adds one and answers with the new number. */
export function hit(service: CounterService): Endpoint {
  const { counters, countHit, decisions } = service;
  const headers = (audience: Audience) => headersOf("json", { cacheControl: "no-store", audience });
  const headersFor = { none: headers("none"), any: headers("any") };
  return counterEndpoint({
    path: "/hit",
    methods: ["GET", "POST", "OPTIONS"],
    summary: "Count a hit",
    parameters: [once, visitor],
    admits: "keyholder",
    audience: "none",
    errors: "json",
    work: {
      find: (asked) => countHit(asked, idempotencyKeyOf(asked)),
      answer(found, { id, grant }) {
        const { source } = counters;
        decisions.note(id, typeof found === "number" ? "counted" : found.remark);
        const audience = grant === "secret" ? "none" : "any";
        const headers = headersFor[audience];
        if (typeof found === "number") {
          return answer(JSON.stringify({ id, hits: found, source }), headers);
        }
        const { hits, remark } = found;
        return answer(JSON.stringify({ id, hits, source }), {
          ...headers,
          ...remarkOf(remark, audience),
        });
      },
      onProblem: (problem, request) => decisions.noteProblem(problem, request),
    },
  }, service);
}
