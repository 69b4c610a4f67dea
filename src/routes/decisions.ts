import { answer, headersOf } from "../http/answer.ts";
import type { Decision } from "../hits/decisions.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Service } from "./service.ts";

/** `GET /decisions`: what became of the last hits, for an owner who wonders why one does not count. */
export function listDecisions({ decisions }: Service): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-store", cors: "none" });
  return endpoint({
    summary: "Tell what became of the last 100 hits",
    parameters: [],
    errors: "json",
    answer() {
      const { authorized, rejected } = decisions.latest;
      const body = { decisions: authorized.map(shown), rejected: rejected.map(shown) };
      return answer(JSON.stringify(body), headers);
    },
    describe: ({ bodies, fresh }) => ({
      name: "Decisions",
      tags: ["Owners"],
      description: "Of this process alone and in memory only; nothing tells who sent a hit.",
      answers: { 200: fresh("The newest first.", bodies.decisions) },
    }),
  });
}

function shown({ time, id, outcome }: Decision) {
  return { time: new Date(time).toISOString(), id, outcome };
}
