import { answer, headersOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { period } from "../http/parameters.ts";
import { readPeriod } from "../http/reading.ts";

/** `GET /count.txt`: the number as plain text. */
export function countText(service: CounterService): Endpoint {
  const { counters, readers } = service;
  const headers = headersOf("text", readers.sharing("no-store"));
  return counterEndpoint({
    path: "/count.txt",
    methods: SHARED_READ,
    summary: "Read a counter as plain text",
    parameters: [period],
    admits: "reader",
    audience: readers.audience,
    errors: "text",
    work: {
      find: (asked) => readPeriod(counters, asked),
      answer: (hits) => answer(String(hits), headers),
    },
  }, service);
}
