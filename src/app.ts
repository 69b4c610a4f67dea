import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { Counters } from "./counter/counters.ts";
import { type AccessOptions, createAccess } from "./http/access.ts";
import { Decisions } from "./http/decisions.ts";
import type { Endpoint, Peer } from "./http/endpoint.ts";
import { createFarewell } from "./http/farewell.ts";
import type { Proxies } from "./http/caller_address.ts";
import { createHitCounting } from "./http/hit_counting.ts";
import { createHostCheck } from "./http/host.ts";
import { readersOf } from "./http/readers.ts";
import { warnOfSecretOnPages } from "./http/secret_on_page.ts";
import { serve, serveNothing } from "./http/serve.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { badge } from "./routes/badge.ts";
import { badgeJson } from "./routes/badge_json.ts";
import { chart } from "./routes/chart.ts";
import { count } from "./routes/count.ts";
import { countText } from "./routes/count_text.ts";
import { listDecisions } from "./routes/decisions.ts";
import { deleteCounter, listCounters, setCounter } from "./routes/counters.ts";
import { importCounters } from "./routes/counters_import.ts";
import { days } from "./routes/days.ts";
import { hit } from "./routes/hit.ts";
import { hitImage } from "./routes/hit_image.ts";
import { counterKey } from "./routes/key.ts";
import { metricsText } from "./routes/metrics.ts";
import { sampleBadge, sampleChart } from "./routes/sample.ts";
import { health, openapiDocument, readiness } from "./routes/service.ts";
import { session } from "./routes/session.ts";
import { tally } from "./routes/tally.ts";
import { welcome } from "./routes/welcome.ts";

/** What the HTTP surface stands on. */
export interface AppOptions {
  config: AccessOptions & { proxies: Proxies };
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

/** Every endpoint of the service. */
export function endpointsOf(
  { config, counters, metrics, log }: AppOptions,
): readonly Endpoint[] {
  const service = {
    counters,
    access: createAccess(config, warnOfSecretOnPages(log)),
    readers: readersOf(config.openReads),
    ...createHitCounting({ counters, proxies: config.proxies, log }),
    decisions: new Decisions(),
    metrics,
  };
  const endpoints: readonly Endpoint[] = [
    hit(service),
    hitImage(service),
    count(service),
    countText(service),
    badge(service),
    badgeJson(service),
    chart(service),
    counterKey(service),
    days(service),
    listCounters(service),
    setCounter(service),
    deleteCounter(service),
    importCounters(service),
    listDecisions(service),
    session(service),
    tally(),
    openapiDocument(() => endpoints),
    metricsText(service),
    health(),
    readiness(service),
    sampleBadge(counters),
    sampleChart(counters),
    welcome(() => endpoints, service),
  ];
  return endpoints;
}

/** The whole HTTP surface. */
export function createApp(options: AppOptions): App {
  const farewell = createFarewell();
  const { log, metrics } = options;
  const shared = { log, metrics, checkHost: createHostCheck(), leave: farewell.leave };
  const paths = serve(endpointsOf(options), shared);
  const nothing = serveNothing(shared);

  // An empty path, as in `GET http://localhost?x`, means "/" (RFC 9110, section 4.2.3); Hono alone would fail on it.
  const app = new Hono<{ Bindings: Peer }>({ getPath: (request) => getPath(request) || "/" });
  for (const [path, { handle }] of paths) app.all(path, (c) => handle(c.req.raw, c.env));
  app.notFound((c) => nothing(c.req.raw, c.env));
  return {
    fetch: app.fetch,
    async load() {
      await Promise.all(paths.values().map(({ load }) => load()));
    },
    sayFarewell: farewell.begin,
  };
}
