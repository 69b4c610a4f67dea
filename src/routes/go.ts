import { key } from "../auth/access.ts";
import { parseAddress, to } from "../auth/keys.ts";
import { HIT_PARAMETERS, refuseMistakenId } from "../hits/hit_policy.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { createResponse, flagHeader, NO_SNIFF } from "../http/response.ts";
import { operation, redirect } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Service } from "../service.ts";
import { withTimeout } from "../waiting.ts";

/** Maximum time in milliseconds that a visitor waits for the hit to be stored. */
const MAX_WAIT_MS = 1500;
/** `GET /go`: counts the use of a link and redirects to its address. */
export function go({ access, countHit, recentHits, toProblem }: Service): Endpoint {
  return endpoint("counter", {
    summary: "Count the use of a link",
    description: "Redirects to `to`. The key is that of exactly this counter and address, from " +
      "`/key?id=&to=`. Robots, prefetches and `HEAD` are redirected and not counted, as everyone " +
      "is if the store does not answer within 1.5 s.",
    errors: "html",
    parameters: [to, key, ...HIT_PARAMETERS],
    parse(query, request) {
      refuseMistakenId(query, request);
      return parseAddress(query.get("to"));
    },
    async respond(context, address) {
      const grant = access.linkGrant(context.id, address, context.query.get("key") ?? "");
      const hit = { ...context, grant };
      // The visitor is redirected whatever becomes of the hit.
      const counted = Promise.try(() => countHit(hit));
      const late = () => new Problem("outcome-unknown");
      const flag = await withTimeout(MAX_WAIT_MS, counted, late).then(
        (result) => recentHits.record(hit, result).flag,
        (error) => recentHits.recordProblem(toProblem(error), context.query),
      );
      const headers = { location: address.href, "cache-control": "no-store", ...NO_SNIFF };
      return createResponse(null, flag ? { ...headers, ...flagHeader(flag) } : headers, 302);
    },
    onProblem: (problem, query) => recentHits.recordProblem(problem, query),
    openapi: operation("Counters", "Go", redirect(), [401]),
  });
}
