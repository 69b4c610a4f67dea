import { answer, headersOf, remarkOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { countHit } from "../http/found.ts";

/** `GET` and `POST /hit`: adds one and answers with the new number. */
export function hit(service: CounterService): Endpoint {
  const { counters } = service;
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return counterEndpoint({
    path: "/hit",
    methods: ["GET", "POST"],
    summary: "Count a hit",
    parameters: [],
    admits: "keyholder",
    audience: "none",
    errors: "json",
    work: {
      find: (asked) => countHit(counters, asked),
      answer(found, { id }) {
        const { source } = counters;
        if (typeof found === "number") {
          return answer(JSON.stringify({ id, hits: found, source }), headers);
        }
        const { hits, remark } = found;
        return answer(JSON.stringify({ id, hits, source }), {
          ...headers,
          ...remarkOf(remark, "none"),
        });
      },
    },
  }, service);
}
