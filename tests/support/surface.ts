import { createApp } from "../../src/app.ts";
import { createCounters } from "../../src/counting/counters.ts";
import { createLog } from "../../src/log.ts";
import { Metrics } from "../../src/metrics.ts";
import { describe } from "../../src/openapi/document.ts";
import { ScriptedStore } from "./scripted_store.ts";

/** Every endpoint of the service, for tests that walk its surface; they stand on a store that holds nothing. */
export const endpoints = await createApp({
  config: {
    secret: undefined,
    openReads: true,
    proxies: 0,
    familyLimit: 10_000,
    serveAs: [],
  },
  counters: createCounters(new ScriptedStore()),
  log: createLog({ secrets: [], write: () => {} }),
  metrics: new Metrics(),
}).endpoints();

/** What `GET /openapi.json` answers with. */
export const openapi = describe(endpoints);
