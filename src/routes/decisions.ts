import { answer, headersOf } from "../http/answer.ts";
import type { CounterService } from "../http/counter_endpoint.ts";
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
      const latest = decisions.latest.map(({ time, id, outcome }) => ({
        time: new Date(time).toISOString(),
        id,
        outcome,
      }));
      return answer(JSON.stringify({ decisions: latest }), headers);
    },
  }, access);
}
