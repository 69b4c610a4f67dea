import type { RedisServer } from "../../support/redis_server.ts";

/** Every counter in a Deno KV file that no process has open. */
export async function storedInKv(path: string): Promise<Map<string, number>> {
  using kv = await Deno.openKv(path);
  return await storedIn(kv);
}

/** Every counter in a Deno KV. */
export async function storedIn(kv: Deno.Kv): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  for await (const { key, value } of kv.list<Deno.KvU64>({ prefix: ["hits:"] })) {
    stored.set(String(key[1]), Number(value.value));
  }
  return stored;
}

/** Every counter in a Redis. */
export async function storedInRedis(redis: RedisServer): Promise<Map<string, number>> {
  const keys = await redis.command("KEYS", "hits:*");
  if (!Array.isArray(keys)) throw new Error("Read the keys of Redis: no list came");
  const names = keys.map(String);
  if (names.length === 0) return new Map();
  const values = await redis.command("MGET", ...names);
  if (!Array.isArray(values)) throw new Error("Read the values of Redis: no list came");
  return new Map(names.map((name, index) => [name.slice("hits:".length), Number(values[index])]));
}
