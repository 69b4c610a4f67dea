import type { Access } from "../auth/access.ts";
import type { ServeAs } from "../compat/serve_as.ts";
import type { Counters } from "../counting/counters.ts";
import type { HitPolicy } from "../hits/hit_policy.ts";
import type { RecentHits } from "../hits/recent_hits.ts";
import type { Dispatcher, Draining } from "../http/dispatch.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { createResponse, headersFor, type ReadPolicy } from "../http/response.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { bodies, service } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Renderer } from "../png/renderer.ts";
import type { LatestReader } from "./read_counter.ts";

/** The parts that endpoints share. */
export interface Service {
  readonly counters: Counters;
  /** The counts that badges show. */
  readonly latest: LatestReader;
  readonly access: Access;
  readonly reads: ReadPolicy;
  readonly hits: HitPolicy;
  readonly recentHits: RecentHits;
  readonly renderer: Renderer;
  readonly draining: Draining;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The counters that anyone may hit at the addresses of other services. */
  readonly serveAs: ServeAs;
  /** The origins of the pages that may embed shared pages. */
  readonly embedOrigins: readonly string[];
  /** Has another endpoint respond to a part of a request. */
  readonly call: Dispatcher["call"];
}

const HEADERS = headersFor("json", "no-store");

/** `GET /healthz`: the process is alive. */
export function health(): Endpoint {
  return endpoint("none", {
    summary: "Check that the process is alive",
    ignoresQuery: true,
    respond: () => createResponse('{"status":"ok"}', HEADERS),
    openapi: service("Health", { content: bodies.health }),
  });
}

/** `GET /readyz`: the store responds, except for the shards that are named. */
export function readiness({ counters }: Service): Endpoint {
  return endpoint("none", {
    summary: "Check that the store responds",
    async respond() {
      const unreachable = await counters.ready().catch((cause) => {
        throw new Problem("store-unavailable", { cause });
      });
      const body = { status: "ok", ...(unreachable.length > 0 && { away: unreachable }) };
      return createResponse(JSON.stringify(body), HEADERS);
    },
    openapi: service("Readiness", { content: bodies.readiness, problems: [503] }),
  });
}
