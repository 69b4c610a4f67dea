import { kvKeys } from "../../src/store/kv/kv_layout.ts";
import type { RedisServer } from "../support/redis_server.ts";
import { fileIn } from "./counter_file.ts";

/** Every counter in the file of a service that has ended, which ran in this folder. */
export async function storedInKv(cwd: string): Promise<Map<string, number>> {
  using kv = await Deno.openKv(fileIn(cwd));
  return await storedIn(kv);
}

/**
 * Every counter in a Deno KV. Includes what is still in its journal, because a busy machine may
 * end a service before the journal is folded.
 */
export async function storedIn(kv: Deno.Kv): Promise<Map<string, number>> {
  const entries = new Map<string, { hits: number; versionstamp: string }>();
  for await (const { key, value, versionstamp } of kv.list<Deno.KvU64>({ prefix: ["hits:"] })) {
    entries.set(String(key[1]), { hits: Number(value.value), versionstamp });
  }
  const prefix = kvKeys("hits:").row(0).slice(0, -1);
  for await (const { value, versionstamp } of kv.list<(string | number)[]>({ prefix })) {
    for (let at = 0; at < value.length; at += 2) {
      const [id, hits] = [String(value[at]), Number(value[at + 1])];
      const entry = entries.get(id);
      if (entry && versionstamp > entry.versionstamp) entries.set(id, { hits, versionstamp });
    }
  }
  return new Map(Array.from(entries, ([id, { hits }]) => [id, hits]));
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
