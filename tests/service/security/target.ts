import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { needsRedis, type RedisServer, startRedis } from "../../support/redis_server.ts";
import { SECRET } from "../../support/secret.ts";
import { type Service, startService } from "../../support/service.ts";
import { TIME_ZONE } from "../../support/time_zones.ts";

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

/** All that a store holds. */
interface Holdings {
  readonly counters: Map<string, number>;
  /** Keys and values that are neither counters nor the days of one. */
  readonly others: string[];
}

/** All that a Deno KV file holds that no process has open. */
async function heldInKv(path: string): Promise<Holdings> {
  using kv = await Deno.openKv(path);
  const held: CounterState[] = [];
  for await (const { key, value } of kv.list<unknown>({ prefix: [] })) {
    const [first, id, ...rest] = key;
    const isCounter = first === "hits:" && typeof id === "string" && rest.length === 0 &&
      value instanceof Deno.KvU64;
    const [owner, what, prefix, of] = key;
    const isHistory = owner === "tallymark" && what === "days" && prefix === "hits:";
    held.push({
      key: JSON.stringify(key),
      value,
      counter: isCounter ? id : undefined,
      daysOf: isHistory ? [String(of)] : [],
    });
  }
  return sorted(held);
}

/** All that a Redis holds. */
async function heldInRedis(redis: RedisServer): Promise<Holdings> {
  const keys = await redis.command("KEYS", "*");
  const names = Array.isArray(keys) ? keys.map(String) : [];
  const values = await redis.commands(names.map((name) => ["GET", name]));
  return sorted(names.map((key, index) => {
    const value = values[index];
    const isCounter = key.startsWith("hits:") && /^[1-9]\d*$/.test(String(value));
    return { key, value, counter: isCounter ? idOf(key) : undefined, daysOf: ownersOf(key) };
  }));
}

interface CounterState {
  readonly key: string;
  readonly value: unknown;
  /** The id of what is a counter. */
  readonly counter: string | undefined;
  /** The ids of those whose days this may be. */
  readonly daysOf: readonly string[];
}

function sorted(held: readonly CounterState[]): Holdings {
  const counters = new Map<string, number>();
  for (const { counter, value } of held) {
    if (counter !== undefined) counters.set(counter, Number(value));
  }
  const others = held.filter(({ counter, daysOf }) =>
    counter === undefined && !daysOf.some((id) => counters.has(id))
  );
  return { counters, others: others.map(({ key, value }) => `${key} holds ${value}`) };
}

/**
 * `{KEY}days` or, in the slot of a key that holds braces, `{…}days:KEY`; those of a year end with
 * it.
 */
function ownersOf(key: string): string[] {
  const [, around] = /^\{(hits:.*)\}days(?::\d{4})?$/s.exec(key) ?? [];
  const [, behind] = /^\{[^}]*\}days:(hits:.*)$/s.exec(key) ?? [];
  const names = [around, behind, behind?.replace(/:\d{4}$/, "")];
  return names.filter((name) => name !== undefined).map(idOf);
}

function idOf(key: string): string {
  return key.slice("hits:".length);
}
