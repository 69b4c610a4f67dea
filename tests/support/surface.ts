import { createApp } from "../../src/app.ts";
import { createCounters } from "../../src/counters/counters.ts";
import { createLog } from "../../src/log.ts";
import { Metrics } from "../../src/metrics.ts";
import { describeRoutes } from "../../src/openapi/document.ts";
import { ScriptedStore } from "./scripted_store.ts";

/** Every route of the service, for tests that cover its whole surface. Their store is empty. */
export const { routes } = createApp({
  config: {
    secret: undefined,
    openReads: true,
    proxies: 0,
    groupLimit: 10_000,
    serveAs: [],
    hitOrigins: [],
    embedOrigins: [],
  },
  counters: createCounters(new ScriptedStore()),
  log: createLog({ secrets: [], write: () => {} }),
  metrics: new Metrics(),
});

/** The document that `GET /openapi.json` returns. */
export const openapi = describeRoutes(routes);
