import { answer, headersOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { format, period } from "../http/parameters.ts";
import { refusedQuery } from "../http/query.ts";
import { readPeriod } from "../http/reading.ts";

/** `GET /count`: the number as JSON, or as plain text with `format=txt`. */
export function count(service: CounterService): Endpoint {
  const { counters, readers } = service;
  const json = headersOf("json", readers.sharing("no-store"));
  const text = headersOf("text", readers.sharing("no-store"));
  return counterEndpoint({
    path: "/count",
    methods: SHARED_READ,
    summary: "Read a counter",
    parameters: [format, period],
    admits: "reader",
    audience: readers.audience,
    errors: (url) => isText(formatOf(url)) ? "text" : "json",
    work: {
      find: (asked) => readPeriod(counters, asked),
      answer(hits, { id, query }) {
        if (isText(query.get("format"))) return answer(String(hits), text);
        const { source } = counters;
        return answer(JSON.stringify({ id, hits, source, period: query.get("period") }), json);
      },
    },
  }, service);
}

/** The format that a query asks for which is itself the problem, and so cannot be read strictly. */
function formatOf(url: string): string | undefined {
  return refusedQuery(url).get(format.name);
}

function isText(format: string | undefined): boolean {
  return format === "txt" || format === "text";
}
