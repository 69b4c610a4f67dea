import { Metrics } from "../../src/metrics.ts";
import { parseRedisUrl } from "../../src/start/store_address.ts";
import { openRedis } from "../../src/store/redis/open_redis.ts";
import type { StoreLink } from "../../src/store/redis/node.ts";
import type { StoreHealth } from "../../src/store/store_health.ts";
import { NOOP_HEALTH } from "./noop_health.ts";

/** Options of a connection to Redis. */
export interface LinkOptions {
  /** The health of the whole store. */
  health?: StoreHealth;
  /** Makes the health of a node of a cluster. */
  healthOf?(node: string): StoreHealth;
  replicas?: number;
  metrics?: Metrics;
}

/** The way to the real Redis of a URL, whatever its form, as the service opens it. */
export async function linkTo(url: string, options: LinkOptions = {}): Promise<StoreLink> {
  return await openRedis({
    setting: parseRedisUrl(url),
    replicas: 0,
    health: NOOP_HEALTH,
    healthOf: () => NOOP_HEALTH,
    metrics: new Metrics(),
    ...options,
  });
}
