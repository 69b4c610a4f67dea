import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { needsRedis, startRedis } from "../support/redis_server.ts";
import { type Service, startService } from "../support/service.ts";
import { SECRET } from "../support/secret.ts";

/** The stores that an attack is tried on, with the options of such a test. */
export const STORES = [
  { store: "kv", options: {} },
  { store: "redis", options: needsRedis },
] as const;

/** Where the counters of a target are. */
export type StoreName = typeof STORES[number]["store"];

/** All that a store holds. */
export interface Holdings {
  readonly counters: Map<string, number>;
  /** Keys and values that are no counters. */
  readonly others: string[];
}

/** A real service over a real store, with public reads. */
export interface Target extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  /** Stops the service in good order and lists everything in its store. */
  end(): Promise<Holdings>;
}

/** Starts a service over an empty store of its own. */
export async function startTarget(
  store: StoreName,
  env: Record<string, string> = {},
): Promise<Target> {
  await using resources = new AsyncDisposableStack();
  const redis = store === "redis" ? resources.use(await startRedis()) : undefined;
  const service = resources.use(
    await startService({
      env: {
        SECRET_TOKEN: SECRET,
        PUBLIC_READS: "1",
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
    async end() {
      const { code, stderr } = await service.stop();
      strictEqual(code, 0, stderr);
      if (redis === undefined) return await heldInKv(join(service.cwd, "data", "counters.kv"));
      const keys = await redis.command("KEYS", "*");
      const names = Array.isArray(keys) ? keys.map(String) : [];
      const values = await redis.commands(names.map((name) => ["GET", name]));
      return sorted(names.map((name, index) => {
        const value = values[index];
        const counter = name.startsWith("hits:") && /^[1-9]\d*$/.test(String(value));
        return { key: name, id: counter ? name.slice("hits:".length) : undefined, value };
      }));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface Held {
  key: string;
  /** The id of what is a counter. */
  id: string | undefined;
  value: unknown;
}

async function heldInKv(path: string): Promise<Holdings> {
  using kv = await Deno.openKv(path);
  const held: Held[] = [];
  for await (const { key, value } of kv.list<unknown>({ prefix: [] })) {
    const [prefix, id, ...rest] = key;
    const counter = prefix === "hits:" && typeof id === "string" && rest.length === 0 &&
      value instanceof Deno.KvU64;
    held.push({ key: JSON.stringify(key), id: counter ? id : undefined, value });
  }
  return sorted(held);
}

function sorted(held: readonly Held[]): Holdings {
  const counters = new Map<string, number>();
  const others: string[] = [];
  for (const { key, id, value } of held) {
    if (id === undefined) others.push(`${key} holds ${value}`);
    else counters.set(id, Number(value));
  }
  return { counters, others };
}
