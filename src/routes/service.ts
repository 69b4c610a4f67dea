import type { Counters } from "../counting/counters.ts";
import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, type EndpointFacts, READ } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";
import { Problem } from "../problem.ts";

/** Of endpoints that take no parameters, whose query must be well-formed all the same. */
const NONE: ReadonlySet<string> = new Set();

/** What the endpoints that tell of the service itself have in common. */
const SERVICE = {
  methods: READ,
  parameters: [],
  admits: "anyone",
  audience: "none",
  errors: "json",
} as const satisfies Partial<EndpointFacts>;

/** `GET /healthz`: the process is alive. */
export function health(): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return {
    ...SERVICE,
    path: "/healthz",
    summary: "Tell that the process is alive",
    work: { handle: () => answer('{"status":"ok"}', headers) },
  };
}

/** `GET /readyz`: the store takes hits too, apart from those of its shards that are named. */
export function readiness({ counters }: { counters: Counters }): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return {
    ...SERVICE,
    path: "/readyz",
    summary: "Tell whether the store takes hits",
    work: {
      async handle(request) {
        parseQuery(request.url, NONE);
        try {
          const away = await counters.ready();
          return answer(
            JSON.stringify({ status: "ok", ...(away.length > 0 && { away }) }),
            headers,
          );
        } catch (cause) {
          throw new Problem("store-unavailable", { cause });
        }
      },
    },
  };
}
