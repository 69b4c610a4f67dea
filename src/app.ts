import { type AccessOptions, createAccess } from "./auth/access.ts";
import type { Counters } from "./counting/counters.ts";
import type { Proxies } from "./hits/caller_address.ts";
import { Decisions } from "./hits/decisions.ts";
import { createHitPolicy } from "./hits/hit_policy.ts";
import { createReadPolicy } from "./http/answer.ts";
import { createDispatcher } from "./http/dispatch.ts";
import {
  type ConnectionInfo,
  READ,
  type Route,
  route,
  type RoutedEndpoint,
  SHARED_READ,
} from "./http/endpoint.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { ServeAs } from "./peers/serve_as.ts";
import { count, countText } from "./routes/count.ts";
import { hit } from "./routes/hit.ts";
import { createLatestReader } from "./routes/read_counter.ts";
import { health, readiness, type Service } from "./routes/service.ts";

/** What the HTTP surface stands on. */
export interface AppOptions {
  config: Omit<AccessOptions, "log"> & {
    proxies: Proxies;
    familyLimit: number;
    serveAs: ServeAs;
  };
  counters: Counters;
  metrics: Metrics;
  log: Log;
}

/** The HTTP surface. */
export interface App {
  readonly fetch: (request: Request, connection: ConnectionInfo) => Response | Promise<Response>;
  /** Loads what the start did not wait for, before a request has to: without free descriptors it could not be loaded. */
  load(): Promise<void>;
  /** Has every answer from now on end its connection. */
  drain(): void;
  /** Every endpoint with its row of the table. */
  endpoints(): Promise<readonly RoutedEndpoint[]>;
}

/**
 * The table of routes: path, methods, access level, CORS policy, and the endpoint. The start waits only for those that
 * count, that read in words, and that report the state of the service.
 */
// deno-fmt-ignore: a row is a line
function routesOf(s: Service, all: App["endpoints"]): readonly Route[] {
  const readCors = s.reads.cors;
  return [
    route("/hit", ["GET", "POST", "OPTIONS"], "keyholder", "none", hit(s)),
    route("/hit.svg", SHARED_READ, "keyholder", "image", () => import("./routes/hit_image.ts").then((m) => m.hitImage(s))),
    route("/count", SHARED_READ, "reader", readCors, count(s)),
    route("/count.txt", SHARED_READ, "reader", readCors, countText(s)),
    route("/counts", SHARED_READ, "reader", readCors, () => import("./routes/counts.ts").then((m) => m.counts(s))),
    route("/top", SHARED_READ, "family", "none", () => import("./routes/counts.ts").then((m) => m.top(s))),
    route("/badge", SHARED_READ, "reader", readCors, () => import("./routes/badge.ts").then((m) => m.badge(s))),
    route("/badge.json", SHARED_READ, "reader", readCors, () => import("./routes/badge.ts").then((m) => m.badgeJson(s))),
    route("/chart.svg", SHARED_READ, "reader", readCors, () => import("./routes/chart.ts").then((m) => m.chart(s))),
    route("/calendar.svg", SHARED_READ, "reader", readCors, () => import("./routes/chart.ts").then((m) => m.calendar(s))),
    route("/card.svg", SHARED_READ, "reader", readCors, () => import("./routes/chart.ts").then((m) => m.card(s))),
    route("/key", READ, "owner", "none", () => import("./routes/owner.ts").then((m) => m.counterKey(s))),
    route("/days", SHARED_READ, "reader", readCors, () => import("./routes/days.ts").then((m) => m.days(s))),
    route("/counters", ["GET"], "owner", "none", () => import("./routes/counters.ts").then((m) => m.listCounters(s))),
    route("/counters", ["PUT"], "owner", "none", () => import("./routes/counters.ts").then((m) => m.setCounter(s))),
    route("/counters", ["DELETE"], "owner", "none", () => import("./routes/counters.ts").then((m) => m.deleteCounter(s))),
    route("/counters", ["POST"], "owner", "none", () => import("./routes/counters.ts").then((m) => m.importCounters(s))),
    route("/decisions", ["GET"], "owner", "none", () => import("./routes/owner.ts").then((m) => m.listDecisions(s))),
    route("/session", ["POST"], "secretholder", "none", () => import("./routes/owner.ts").then((m) => m.session(s))),
    route("/tally.js", SHARED_READ, "anyone", "any", () => import("./routes/tally.ts").then((m) => m.tally())),
    route("/api", READ, "anyone", "none", () => import("./routes/docs.ts").then((m) => m.reference(all))),
    route("/openapi.json", SHARED_READ, "anyone", "any", () => import("./routes/docs.ts").then((m) => m.openapiDocument(all))),
    route("/metrics", READ, "owner", "none", () => import("./routes/metrics.ts").then((m) => m.metricsText(s))),
    route("/healthz", READ, "anyone", "none", health()),
    route("/readyz", READ, "anyone", "none", readiness(s)),
    route("/sample/badge", READ, "anyone", "none", () => import("./routes/sample.ts").then((m) => m.sampleBadge(s))),
    route("/sample/chart.svg", READ, "anyone", "none", () => import("./routes/sample.ts").then((m) => m.sampleChart(s))),
    route("/sample/calendar.svg", READ, "anyone", "none", () => import("./routes/sample.ts").then((m) => m.sampleCalendar(s))),
    route("/sample/card.svg", READ, "anyone", "none", () => import("./routes/sample.ts").then((m) => m.sampleCard(s))),
    route("/as/*", [...SHARED_READ, "POST"], "anyone", "any", () => import("./routes/peers.ts").then((m) => m.peers(s))),
    route("/", READ, "anyone", "none", () => import("./routes/welcome.ts").then((m) => m.welcome(all, s))),
  ];
}

/** The whole HTTP surface. */
export function createApp({ config, counters, metrics, log }: AppOptions): App {
  const draining = { hasBegun: false };
  const service: Service = {
    counters,
    latest: createLatestReader(counters),
    access: createAccess({ ...config, log }),
    reads: createReadPolicy(config.openReads),
    hits: createHitPolicy({ ...config, counters, metrics, log }),
    decisions: new Decisions(),
    draining,
    metrics,
    log,
    serveAs: config.serveAs,
    dispatch: (request, connection) => dispatcher.handle(request, connection),
  };
  const endpoints = () =>
    Promise.all(routes.map(async ({ endpoint, ...facts }) => ({
      ...facts,
      ...await (typeof endpoint === "function" ? endpoint() : endpoint),
    })));
  const routes = routesOf(service, endpoints);
  const dispatcher = createDispatcher({ ...service, routes });
  return {
    fetch: dispatcher.handle,
    load: dispatcher.load,
    drain() {
      draining.hasBegun = true;
    },
    endpoints,
  };
}
