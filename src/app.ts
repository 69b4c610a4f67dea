import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { Config } from "./start/config.ts";
import type { Counters } from "./counter/counters.ts";
import { createAccess } from "./http/access.ts";
import { type Endpoint, type EndpointLoader, serve } from "./http/endpoint.ts";
import type { Log } from "./log.ts";
import { Problem } from "./problem.ts";
import { count, countText } from "./routes/count.ts";
import { hit } from "./routes/hit.ts";
import { counterKey, health, openapiDocument, readiness, welcome } from "./routes/service.ts";

/** What the HTTP surface stands on. */
export interface AppOptions {
  config: Pick<Config, "secret" | "openReads">;
  counters: Counters;
  log: Log;
}

/** The whole HTTP surface. */
export function createApp({ config, counters, log }: AppOptions): Hono {
  const { openReads } = config;
  const access = createAccess(config);
  const counting = { counters, access };
  const reading = { counters, access, openReads };

  // An empty path, as in `GET http://localhost?x`, means "/" (RFC 9110, section 4.2.3); Hono alone would fail on it.
  const app = new Hono({ getPath: (request) => getPath(request) || "/" });
  const at = (path: string, endpoint: Endpoint | EndpointLoader) =>
    app.all(path, serve(endpoint, log));

  at("/hit", hit(counting));
  at("/hit.svg", async () => (await import("./routes/hit_image.ts")).hitImage(counting));
  at("/count", count(reading));
  at("/count.txt", countText(reading));
  at("/badge", async () => (await import("./routes/badge.ts")).badge(reading));
  at("/badge.json", async () => (await import("./routes/badge.ts")).badgeJson(reading));
  at("/key", counterKey(access));
  at("/openapi.json", openapiDocument());
  at("/healthz", health());
  at("/readyz", readiness(counters));
  at("/", welcome());
  app.notFound(serve(nothing, log));
  return app;
}

/** Every other path, whatever the method. */
const nothing: Endpoint = {
  methods: undefined,
  errors: "json",
  audience: "own",
  handle() {
    throw new Problem("not-found");
  },
};
