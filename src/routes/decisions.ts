import { answer, headersOf } from "../http/answer.ts";
import type { CounterService } from "../http/counter_endpoint.ts";
import type { Decision } from "../hits/decisions.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { ownerEndpoint } from "../http/owner_endpoint.ts";

/** `GET /decisions`: what became of the last hits, for an owner who wonders why one does not count. */
export function listDecisions({ access, decisions }: CounterService): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", audience: "none" });
  return ownerEndpoint({
    path: "/decisions",
    methods: ["GET"],
    summary: "Tell what became of the last 100 hits",
    parameters: [],
    ask: () => undefined,
    answer() {
      const { authorized, rejected } = decisions.latest;
      const body = { decisions: authorized.map(shown), rejected: rejected.map(shown) };
      return answer(JSON.stringify(body), headers);
    },
  }, access);
}

function shown({ time, id, outcome }: Decision) {
  return { time: new Date(time).toISOString(), id, outcome };
}
