import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { needsRedis, type RedisServer, startRedis } from "../../support/redis_server.ts";
import { type Service, startService } from "../../support/service.ts";
import { SECRET } from "../../support/secret.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";
import { heldInKv, heldInRedis, type Holdings } from "./holdings.ts";

/** The stores that an attack is tried on, with the options of such a test. */
export const STORES = [
  { store: "kv", options: {} },
  { store: "redis", options: needsRedis },
] as const;

/** The kind of store of a target. */
export type StoreName = typeof STORES[number]["store"];

/** A real service over a real store, with public reads. */
export interface Target extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  /** The Redis of the counters, if there is one. */
  readonly redis: RedisServer | undefined;
  /** Stops the service in good order and lists everything in its store. */
  end(): Promise<Holdings>;
}

/** Starts a service over an empty store of its own. */
export async function startTarget(
  store: StoreName,
  env: Record<string, string> = {},
): Promise<Target> {
  await using resources = new AsyncDisposableStack();
  const redis = store === "redis"
    ? resources.use(await startRedis({ args: ["--save", "3600 1"] }))
    : undefined;
  const service = resources.use(
    await startService({
      env: {
        SECRET_TOKEN: SECRET,
        PUBLIC_READS: "1",
        TIME_ZONE,
        ...(redis !== undefined && { STORE_URL: redis.url }),
        ...env,
      },
    }),
  );
  if (redis !== undefined) await service.storeReady();
  const owned = resources.move();
  return {
    service,
    url: service.url,
    redis,
    async end() {
      const { code, stderr } = await service.stop();
      strictEqual(code, 0, stderr);
      if (redis === undefined) return await heldInKv(join(service.cwd, "data", "counters.kv"));
      return await heldInRedis(redis);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
