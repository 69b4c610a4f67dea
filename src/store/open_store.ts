import type { Calendar } from "../domain/calendar.ts";
import type { Config } from "../start/config.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { DatabaseOptions } from "./kv/database.ts";
import { createLazyStore } from "./lazy_store.ts";
import { StartError } from "../start_error.ts";
import { type CounterStore, type Source, withTimeout } from "../domain/store.ts";
import { meteredHealth, STORE_LABEL } from "./store_health.ts";

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
  config: Pick<Config, "store" | "prefix" | "failFast" | "replicas">;
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
 * answer within 5 s although the settings say to fail fast. Otherwise an unreachable
 * network store is connected in the background.
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
  const healthOf = (node?: string) => meteredHealth({ log, metrics, node });
  const health = healthOf();
  const logged = new Set<string>();
  const warnOnce = (event: string, about: string, fields: Record<string, string>) => {
    if (!logged.has(about)) log.warn(event, fields);
    logged.add(about);
  };
  const onDamaged = (id: string) => warnOnce(DAMAGED_DAYS, DAMAGED_DAYS, { id });
  const onAhead = (id: string) => warnOnce(CLOCK_AHEAD, CLOCK_AHEAD, { id });
  const onForbidden = (rule: string) => warnOnce(FORBIDDEN_KEY, rule, { rule });
  const common = { prefix, health, calendar, onDamaged, onAhead };
  switch (setting.kind) {
    case "kv-file": {
      const { openCounterFile } = await import("./kv/file/counter_file.ts");
      const file = await openCounterFile(setting.path);
      const { kv } = file;
      const onIncomplete = () => log.warn(INCOMPLETE_FILE, { path: setting.path });
      const store = ownKv("deno-kv", { ...common, kv, file, onIncomplete });
      // Opening the store loads the journal, for which a first request might not wait.
      if (await hasJournal(kv, prefix)) await store.check().catch(() => {});
      return store;
    }
    case "kv-memory": {
      const kv = await Deno.openKv(":memory:");
      return ownKv("memory", { ...common, kv });
    }
    case "kv-remote":
    case "kv-platform":
      return createLazyStore({
        traits: { source: "deno-kv", ...KV_BATCHES },
        health,
        async open() {
          const { openKvStore } = await loadKv();
          const kv = await (setting.kind === "kv-remote" ? Deno.openKv(setting.url) : platformKv());
          return await openKvStore({ ...common, kv, isShared: true });
        },
      });
    case "redis":
      return createLazyStore({
        traits: { source: "redis", ...REDIS_BATCHES },
        health,
        async open() {
          const { openRedis, createRedisStore, watchDurability } = await loadRedis();
          const link = await openRedis({
            setting,
            replicas,
            health,
            healthOf(node) {
              metrics.nodes.delete(STORE_LABEL);
              return healthOf(node);
            },
            metrics,
          }).catch((error) => {
            if (error instanceof StartError) onUnusable(error);
            throw error;
          });
          try {
            const store = await createRedisStore({ link, onForbidden, ...common });
            const { risks, stop } = watchDurability({ link, prefix, log });
            return {
              ...store,
              risks,
              close() {
                stop();
                return store.close();
              },
            };
          } catch (error) {
            await link.close();
            throw error;
          }
        },
      });
  }
}

const DAMAGED_DAYS =
  "the daily history of a counter is damaged and ignored: check whether others are affected";

const CLOCK_AHEAD =
  "a clock was ahead: hits on days after tomorrow count for today or for no day, check the clocks of all servers";
const INCOMPLETE_FILE =
  "counter file left incomplete: another program reads it, so a copy needs the -wal file next to it";
const FORBIDDEN_KEY =
  "some counters fail: the Redis user may not use their keys, run ACL SETUSER with this rule";

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

/**
 * Returns a store whose database is open already, because its file is locked before the service
 * listens. The code for it is loaded later.
 */
function ownKv(source: Source, options: Omit<DatabaseOptions, "isShared">): CounterStore {
  const { kv, file, health } = options;
  return createLazyStore({
    traits: { source, ...KV_BATCHES },
    health,
    resource: {
      close: () => file === undefined ? Promise.resolve(kv.close()) : file.close().then(() => {}),
    },
    open: async () => await (await loadKv()).openKvStore({ ...options, isShared: false }),
  });
}

/** Reports whether a killed process left totals in the journal of a counter file. */
async function hasJournal(kv: Deno.Kv, prefix: string): Promise<boolean> {
  const { kvKeys } = await import("./kv/kv_layout.ts");
  const rows = kv.list({ prefix: kvKeys(prefix).row(0).slice(0, -1) }, { limit: 1 });
  return !(await rows.next()).done;
}

/** Loads the code for Deno KV, which a service with a Redis does without. */
function loadKv() {
  return import("./kv/kv_store.ts");
}

/** Loads the code for Redis and its client, which takes longer than the rest of a start. */
async function loadRedis() {
  const [opening, store, durability] = await Promise.all([
    import("./redis/open_redis.ts"),
    import("./redis/redis_store.ts"),
    import("./redis/durability.ts"),
  ]);
  return { ...opening, ...store, ...durability };
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
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  // One that is still being opened may never close.
  await withTimeout(CLOSE_LIMIT_MS, store.close()).catch(() => {});
  throw new StartError(
    "The store did not answer within 5 s, and FAIL_FAST_STORE forbids starting without it: " +
      "check its address and password, and whether it is running",
  );
}
