import type { Access } from "../auth/access.ts";
import type { Counters } from "../counting/counters.ts";
import type { Decisions } from "../hits/decisions.ts";
import type { HitPolicy } from "../hits/hit_policy.ts";
import { answer, headersOf, type ReadPolicy } from "../http/answer.ts";
import type { Draining } from "../http/dispatch.ts";
import { type ConnectionInfo, type Endpoint, endpoint } from "../http/endpoint.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { ServeAs } from "../peers/serve_as.ts";
import { Problem } from "../problem.ts";
import type { LatestReader } from "./read_counter.ts";

/** What the endpoints stand on. */
export interface Service {
  readonly counters: Counters;
  /** What badges show of them. */
  readonly latest: LatestReader;
  readonly access: Access;
  readonly reads: ReadPolicy;
  readonly hits: HitPolicy;
  readonly decisions: Decisions;
  readonly draining: Draining;
  readonly metrics: Metrics;
  readonly log: Log;
  /** What anyone may count under the addresses of other counters. */
  readonly serveAs: ServeAs;
  /** Answers a request to any endpoint. */
  readonly dispatch: (request: Request, connection: ConnectionInfo) => Response | Promise<Response>;
}

const HEADERS = headersOf("json", { cacheControl: "no-store", cors: "none" });

/** `GET /healthz`: the process is alive. */
export function health(): Endpoint {
  return endpoint({
    summary: "Check that the process is alive",
    parameters: [],
    errors: "json",
    ignoresQuery: true,
    answer: () => answer('{"status":"ok"}', HEADERS),
    describe: ({ bodies, service }) => service("Health", { content: bodies.health }),
  });
}

/** `GET /readyz`: the store responds, apart from those of its shards that are named. */
export function readiness({ counters }: Service): Endpoint {
  return endpoint({
    summary: "Check that the store responds",
    parameters: [],
    errors: "json",
    find: () =>
      counters.ready().catch((cause) => {
        throw new Problem("store-unavailable", { cause });
      }),
    answer: (away) =>
      answer(JSON.stringify({ status: "ok", ...(away.length > 0 && { away }) }), HEADERS),
    describe: ({ bodies, service }) =>
      service("Readiness", { content: bodies.readiness, problems: [503] }),
  });
}
