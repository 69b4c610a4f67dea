import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { Counters } from "./counting/counters.ts";
import { type AccessOptions, createAccess } from "./auth/access.ts";
import { Decisions } from "./hits/decisions.ts";
import type { Peer } from "./http/endpoint.ts";
import { createFarewell } from "./http/farewell.ts";
import type { Proxies } from "./hits/caller_address.ts";
import { createHitPolicy } from "./hits/hit_policy.ts";
import { createHostCheck } from "./http/host.ts";
import { allOf, later, type Listed } from "./http/later.ts";
import { readersOf } from "./http/readers.ts";
import { serve, serveNothing } from "./http/serve.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { count } from "./routes/count.ts";
import { countText } from "./routes/count_text.ts";
import { hit } from "./routes/hit.ts";
import { health, readiness } from "./routes/service.ts";

/** What the HTTP surface stands on. */
export interface AppOptions {
  config: Omit<AccessOptions, "log"> & { proxies: Proxies; familyLimit: number };
  counters: Counters;
  metrics: Metrics;
  log: Log;
}

/** The HTTP surface. */
export interface App {
  readonly fetch: (request: Request, peer: Peer) => Response | Promise<Response>;
  /** Loads what the start did not wait for, before a request has to: without free descriptors it could not be loaded. */
  load(): Promise<void>;
  /** Has every answer from now on end its connection. */
  sayFarewell(): void;
}

/** A request as it came: to get at it by `c.req`, Hono makes an object, a fortieth of the memory that a hit takes. */
interface Arrival {
  readonly request: Request;
  readonly peer: Peer;
}

/** Every endpoint of the service; a start waits for those alone that count and read in words, and tell how it is. */
export function endpointsOf(
  { config, counters, metrics, log }: AppOptions,
  isShuttingDown: () => boolean,
): readonly Listed[] {
  const service = {
    counters,
    access: createAccess({ ...config, log }),
    readers: readersOf(config.openReads),
    ...createHitPolicy({ ...config, counters, metrics, log }),
    decisions: new Decisions(),
    isShuttingDown,
    metrics,
  };
  const all = () => allOf(endpoints);
  const endpoints: readonly Listed[] = [
    hit(service),
    later("/hit.svg", async () => {
      const { hitImage } = await import("./routes/hit_image.ts");
      await service.preload();
      return [hitImage(service)];
    }),
    count(service),
    countText(service),
    later("/badge", async () => [(await import("./routes/badge.ts")).badge(service)]),
    later("/badge.json", async () => [(await import("./routes/badge_json.ts")).badgeJson(service)]),
    later("/chart.svg", async () => [(await import("./routes/chart.ts")).chart(service)]),
    later("/calendar.svg", async () => [(await import("./routes/chart.ts")).calendar(service)]),
    later("/card.svg", async () => [(await import("./routes/chart.ts")).card(service)]),
    later("/key", async () => [(await import("./routes/key.ts")).counterKey(service)]),
    later("/days", async () => [(await import("./routes/days.ts")).days(service)]),
    later("/counters", async () => {
      const { listCounters, setCounter, deleteCounter } = await import("./routes/counters.ts");
      const { importCounters } = await import("./routes/counters_import.ts");
      return [listCounters, setCounter, deleteCounter, importCounters].map((make) => make(service));
    }),
    later(
      "/decisions",
      async () => [(await import("./routes/decisions.ts")).listDecisions(service)],
    ),
    later("/session", async () => [(await import("./routes/session.ts")).session(service)]),
    later("/tally.js", async () => [(await import("./routes/tally.ts")).tally()]),
    later("/api", async () => [(await import("./routes/api.ts")).reference(all)]),
    later(
      "/openapi.json",
      async () => [(await import("./routes/openapi.ts")).openapiDocument(all)],
    ),
    later("/metrics", async () => [(await import("./routes/metrics.ts")).metricsText(service)]),
    health(),
    readiness(service),
    later(
      "/sample/badge",
      async () => [(await import("./routes/sample.ts")).sampleBadge(counters)],
    ),
    later(
      "/sample/chart.svg",
      async () => [(await import("./routes/sample.ts")).sampleChart(counters)],
    ),
    later(
      "/sample/calendar.svg",
      async () => [(await import("./routes/sample.ts")).sampleCalendar(counters)],
    ),
    later(
      "/sample/card.svg",
      async () => [(await import("./routes/sample.ts")).sampleCard(counters)],
    ),
    later("/", async () => [(await import("./routes/welcome.ts")).welcome(all, service)]),
  ];
  return endpoints;
}

/** The whole HTTP surface. */
export function createApp(options: AppOptions): App {
  const farewell = createFarewell();
  const { log, metrics } = options;
  const shared = { log, metrics, checkHost: createHostCheck(), leave: farewell.leave };
  const paths = serve(endpointsOf(options, farewell.hasBegun), shared);
  const nothing = serveNothing(shared);

  // An empty path, as in `GET http://localhost?x`, means "/" (RFC 9110, section 4.2.3); Hono alone would fail on it.
  const app = new Hono<{ Bindings: Arrival }>({ getPath: (request) => getPath(request) || "/" });
  for (const [path, { handle }] of paths) app.all(path, ({ env }) => handle(env.request, env.peer));
  app.notFound(({ env }) => nothing(env.request, env.peer));
  return {
    fetch: (request, peer) => app.fetch(request, { request, peer }),
    async load() {
      // What fails now is tried again by the first request for it, which is told.
      await Promise.allSettled(paths.values().map(({ load }) => load()));
    },
    sayFarewell: farewell.begin,
  };
}
