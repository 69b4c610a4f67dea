import type { Day } from "../../src/counter/days.ts";
import type { CounterStore } from "../../src/counter/store.ts";
import type { KvFile } from "../../src/store/kv/kv_file.ts";
import { kvKeys } from "../../src/store/kv/kv_keys.ts";
import { createKvStore } from "../../src/store/kv/kv_store.ts";
import { createOwnDatabase } from "../../src/store/kv/own_database.ts";
import { createSharedDatabase } from "../../src/store/kv/shared_database.ts";
import { type StoreHealth, UNWATCHED } from "../../src/store/store_health.ts";

/** How a test opens a store on a Deno KV; what is left out is as the service has it. */
export interface KvStoreSetup {
  kv: Deno.Kv;
  prefix?: string;
  source?: "deno-kv" | "memory";
  health?: StoreHealth;
  /** The file that holds it. */
  file?: KvFile;
  /** Whether others write to the database as well. */
  shared?: boolean;
  today?: () => Day;
}

/** A day to count hits on, where a test is not about days: 2026-11-20. */
export const SOME_DAY: Day = 20_777;

/** Opens a store on a Deno KV, which belongs to it from then on. */
export function kvStore(setup: KvStoreSetup): CounterStore {
  const { kv, prefix = "hits:", source = "deno-kv", file, shared } = setup;
  const { health = UNWATCHED, today = () => SOME_DAY } = setup;
  const place = { kv, keys: kvKeys(prefix) };
  const database = shared
    ? createSharedDatabase(place)
    : createOwnDatabase({ ...place, ...file && { file } });
  return createKvStore({ database, source, health, today });
}
