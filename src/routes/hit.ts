import { idempotencyKeyOf, once, refuseMistakenId, visitor } from "../hits/hit_policy.ts";
import { answer, type CorsPolicy, headersOf, remarkOf } from "../http/answer.ts";
import { counterEndpoint, type Endpoint } from "../http/endpoint.ts";
import type { Service } from "./service.ts";

/** `GET` and `POST /hit`: adds one and answers with the new number. */
export function hit({ counters, hits, decisions }: Service): Endpoint {
  const headers = (cors: CorsPolicy) => headersOf("json", { cacheControl: "no-store", cors });
  const headersFor = { none: headers("none"), any: headers("any") };
  return counterEndpoint({
    summary: "Count a hit",
    parameters: [once, visitor],
    errors: "json",
    understand: refuseMistakenId,
    find: (asked) => hits.countHit(asked, idempotencyKeyOf(asked)),
    answer(found, { id, grant }) {
      const { source } = counters;
      decisions.record(id, typeof found === "number" ? "counted" : found.remark);
      const cors = grant === "secret" ? "none" : "any";
      const headers = headersFor[cors];
      if (typeof found === "number") {
        return answer(JSON.stringify({ id, hits: found, source }), headers);
      }
      const { hits, remark } = found;
      return answer(JSON.stringify({ id, hits, source }), {
        ...headers,
        ...remarkOf(remark, cors),
      });
    },
    onProblem: (problem, query) => decisions.recordProblem(problem, query),
    describe: ({ bodies, fresh, HIT_PROBLEMS, HIT_REMARKS }) => ({
      name: "Hit",
      tags: ["Counters"],
      description: "Prefetches, and crawlers with a key, get a response but are not counted. " +
        "Send the id in the query: a `POST` takes no body. Without `id`, the counter is `home`, " +
        "but `prefix`, `ids`, `counter` or `name` in its place is a 400.",
      headers: [IDEMPOTENCY_KEY],
      answers: { 200: fresh("The new count.", bodies.counter, ...HIT_REMARKS) },
      problems: HIT_PROBLEMS,
    }),
  });
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Needs the secret. Hits with the same key within 24 hours count once and return the " +
    "first number, so a hit is safe to retry after a 503, a 504 or no response.",
  schema: { type: "string", pattern: '^([A-Za-z0-9_-]{1,64}|"[A-Za-z0-9_-]{1,64}")$' },
} as const;
