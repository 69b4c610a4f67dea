import { answer, headersOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";

/** `GET /count.txt`: the number as plain text. */
export function countText(service: CounterService): Endpoint {
  const { counters, readers } = service;
  const headers = headersOf("text", readers.sharing("no-store"));
  return counterEndpoint({
    path: "/count.txt",
    methods: SHARED_READ,
    summary: "Read a counter as plain text",
    parameters: [],
    admits: "reader",
    audience: readers.audience,
    errors: "text",
    work: {
      find: ({ id }) => counters.count(id),
      answer: (hits) => answer(String(hits), headers),
    },
  }, service);
}
