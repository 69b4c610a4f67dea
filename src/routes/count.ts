import { answer, headersOf } from "../http/answer.ts";
import { counterEndpoint, type Endpoint } from "../http/endpoint.ts";
import { format, period } from "../http/parameters.ts";
import { readPeriod } from "./reading.ts";
import type { Service } from "./service.ts";

/** `GET /count`: the number as JSON, or as plain text with `format=txt`. */
export function count({ counters, reads }: Service): Endpoint {
  const json = headersOf("json", reads.sharing("no-store"));
  const text = headersOf("text", reads.sharing("no-store"));
  return counterEndpoint({
    summary: "Read a counter",
    parameters: [format, period],
    errors: (query) => isText(query.get("format")) ? "text" : "json",
    find: (asked) => readPeriod(counters, asked),
    answer(hits, { id, query }) {
      if (isText(query.get("format"))) return answer(String(hits), text);
      const { source } = counters;
      return answer(JSON.stringify({ id, hits, source, period: query.get("period") }), json);
    },
    describe: ({ bodies, fresh, STORE_PROBLEMS }) => ({
      name: "Count",
      tags: ["Counters"],
      answers: {
        200: fresh("The count; 0 before the first hit.", { ...bodies.counter, ...bodies.hits }),
      },
      problems: STORE_PROBLEMS,
    }),
  });
}

function isText(format: string | undefined): boolean {
  return format === "txt" || format === "text";
}
