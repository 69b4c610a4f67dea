import type { RecentHit } from "../hits/recent_hits.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { jsonResponse } from "../http/response.ts";
import { json, operation, success } from "../openapi/responses.ts";
import type { Service } from "../service.ts";

/** `GET /decisions`: the outcomes of the last hits, for an owner whose hits do not count. */
export function listDecisions({ recentHits }: Service): Endpoint {
  return endpoint("none", {
    summary: "Show what became of the last 100 hits",
    description:
      "Those of this process, kept in memory only. Nothing shows who sent a hit, unless a robot did.",
    respond() {
      const { authorized, rejected } = recentHits.latest;
      const body = { decisions: authorized.map(toJson), rejected: rejected.map(toJson) };
      return jsonResponse(body);
    },
    openapi: operation(
      "Owners",
      "Decisions",
      success("The hits, newest first.", json("Decisions")),
    ),
  });
}

function toJson({ time, id, outcome, crawler, hasEarlierKey }: RecentHit) {
  const mark = hasEarlierKey ? { earlierKey: true } : undefined;
  return { time: new Date(time).toISOString(), id, outcome, crawler, ...mark };
}
