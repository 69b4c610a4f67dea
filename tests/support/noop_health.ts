import { createLog } from "../../src/log.ts";
import { Metrics } from "../../src/metrics.ts";
import { createStoreHealth } from "../../src/store/store_health.ts";

/** The health of a store that reports nowhere. */
export const NOOP_HEALTH = createStoreHealth(createLog({ secrets: [], write() {} }), new Metrics());
