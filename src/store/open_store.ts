import type { Calendar } from "../domain/calendar.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { StartError } from "../start_error.ts";
import type { CounterStore } from "../domain/store.ts";
import { pause, withTimeout } from "../waiting.ts";
import { openCounterFile } from "./kv/file/counter_file.ts";
import { toStartError } from "./kv/file/file_check.ts";
import { openKvStore } from "./kv/kv_store.ts";
import { createLazyStore } from "./lazy_store.ts";
import type { StoreSetting } from "./setting.ts";
import { createStoreHealth } from "./store_health.ts";

/**
 * The batches of a Deno KV. One at a time: the next one fills while the disk or the network is busy
 * with this one. A hundred ids are as many as a commit can check.
 */
export const KV_BATCHES = { batches: 1, idsPerBatch: 100, sortedById: true };
/**
 * The batches of a Redis. Several in flight, so that on a link with latency hits need not wait for
 * the replies to others.
 */
export const REDIS_BATCHES = { batches: 4, idsPerBatch: 1000, sortedById: false };
/** Timeout of the store at the start of a service that fails fast, in milliseconds. */
const FAIL_FAST_LIMIT_MS = 5000;
/** Timeout for closing a store that did not answer, in milliseconds. */
const CLOSE_LIMIT_MS = 500;

export interface OpenStoreOptions {
  /** The settings that matter to a store. */
  config: { store: StoreSetting; prefix: string; failFast: boolean; replicas: number };
  /** The calendar of the days that are counted. */
  calendar: Calendar;
  log: Log;
  metrics: Metrics;
  /** Called if it turns out later that the store cannot be used at all. */
  onUnusable(error: StartError): void;
}

/**
 * Opens the store that the settings name.
 *
 * Throws a {@linkcode StartError} if a local file cannot be used, or if a network store does not
 * answer within 5 s although the settings say to fail fast. Otherwise an unreachable network store
 * is connected in the background. Throws `NotCapable` if Deno may not use the folder of a file.
 *
 * @example
 * ```ts
 * const store = await openStore(options);
 * const totals = await store.add(additions);
 * await store.close();
 * ```
 */
export async function openStore(options: OpenStoreOptions): Promise<CounterStore> {
  const store = await open(options);
  if (options.config.failFast) await requireAnswer(store);
  return store;
}

async function open(
  { config, calendar, log, metrics, onUnusable }: OpenStoreOptions,
): Promise<CounterStore> {
  const { store: setting, prefix, replicas } = config;
  if (setting.kind !== "redis") requireDenoKv();
  const healthOf = (node?: string) => createStoreHealth(log, metrics, node);
  const health = healthOf();
  let isAheadLogged = false;
  const onAhead = (id: string) => {
    if (!isAheadLogged) log.warn(CLOCK_AHEAD, { id });
    isAheadLogged = true;
  };
  const common = { prefix, health, calendar, onAhead };
  switch (setting.kind) {
    case "kv-file": {
      const { path } = setting;
      const file = await openCounterFile(path);
      const onIncomplete = () => log.warn(INCOMPLETE_FILE, { path });
      const options = { ...common, kv: file.kv, file, onIncomplete, isShared: false };
      const store = await openKvStore(options).catch(async ({ cause }) => {
        await file.close();
        throw toStartError(path, cause);
      });
      return { source: "deno-kv", ...KV_BATCHES, ...store };
    }
    case "kv-memory": {
      const kv = await Deno.openKv(":memory:");
      const store = await openKvStore({ ...common, kv, isShared: false });
      return { source: "memory", ...KV_BATCHES, ...store };
    }
    case "kv-remote":
    case "kv-platform":
      return createLazyStore({
        traits: { source: "deno-kv", ...KV_BATCHES },
        health,
        async open() {
          const kv = await (setting.kind === "kv-remote" ? Deno.openKv(setting.url) : platformKv());
          return await openKvStore({ ...common, kv, isShared: true });
        },
      });
    case "redis":
      return createLazyStore({
        traits: { source: "redis", ...REDIS_BATCHES },
        health,
        async open() {
          // Loading its client takes longer than the rest of a start.
          const { openRedisStore } = await import("./redis/open_redis.ts");
          return await openRedisStore({
            ...common,
            setting,
            replicas,
            healthOf,
            metrics,
            log,
          }).catch((error) => {
            if (error instanceof StartError) onUnusable(error);
            throw error;
          });
        },
      });
  }
}

const CLOCK_AHEAD =
  "another server is a day ahead, its hits count for today or for no day: give all servers on this store the same TIME_ZONE, and check their clocks";
const INCOMPLETE_FILE =
  "counter file left incomplete: another program reads it, so a copy needs the -wal file next to it";

/**
 * Throws an error if Deno has no KV. A bundle may run without the flag and the line in deno.json
 * that turn it on.
 */
function requireDenoKv(): void {
  if (typeof Deno.openKv === "function") return;
  throw new StartError(
    "Deno was started without Deno KV: add the flag --unstable-kv (deno run --unstable-kv …), or set STORE_URL to a Redis",
  );
}

async function platformKv(): Promise<Deno.Kv> {
  try {
    return await Deno.openKv();
  } catch (cause) {
    throw new Error("Assign a Deno KV database to this app, or set STORE_URL", { cause });
  }
}

async function requireAnswer(store: CounterStore): Promise<void> {
  const until = performance.now() + FAIL_FAST_LIMIT_MS;
  while (performance.now() < until) {
    try {
      await withTimeout(until - performance.now(), store.check());
      return;
    } catch {
      await pause(50);
    }
  }
  // One that is still being opened may never close.
  await withTimeout(CLOSE_LIMIT_MS, store.close()).catch(() => {});
  throw new StartError(
    "The store did not answer within 5 s, and FAIL_FAST_STORE forbids starting without it: " +
      "check its address, password and permissions, and whether it is running",
  );
}
