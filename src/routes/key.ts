import { answer, headersOf } from "../http/answer.ts";
import { counterEndpoint, type CounterService } from "../http/counter_endpoint.ts";
import { type Endpoint, READ } from "../http/endpoint.ts";

/** `GET /key`: the key that opens one counter, for whoever has the secret. */
export function counterKey(service: CounterService): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return counterEndpoint({
    path: "/key",
    methods: READ,
    summary: "Make the counter key of one id",
    parameters: [],
    admits: "owner",
    audience: "none",
    errors: "json",
    work: {
      find: ({ id }) => service.access.keyOf(id),
      answer: (key, { id }) => answer(JSON.stringify({ id, key }), headers),
    },
  }, service);
}
