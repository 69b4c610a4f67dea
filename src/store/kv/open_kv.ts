import type { CounterStore } from "../../counter/store.ts";
import { kvKeys } from "./kv_keys.ts";
import type { KvFile } from "./file/kv_file.ts";
import { createKvStore, type KvStoreOptions } from "./kv_store.ts";
import { openOwnDatabase } from "./own_database.ts";
import { createSharedDatabase } from "./shared_database.ts";

/** What a store in Deno KV stands on; the database belongs to it from then on. */
export interface OpenKvOptions extends Omit<KvStoreOptions, "database"> {
  kv: Deno.Kv;
  /** The beginning of the counters' keys. */
  prefix: string;
  /** Called with each counter whose days are damaged. */
  onDamaged(id: string): void;
}

/** The same of one that nobody else writes to; in memory where there is no file. */
export interface OwnKvOptions extends OpenKvOptions {
  file?: KvFile;
}

/** A store that nobody else writes to. */
export async function openOwnKv(
  { kv, prefix, file, onDamaged, ...options }: OwnKvOptions,
): Promise<CounterStore> {
  const database = await openOwnDatabase({
    kv,
    keys: kvKeys(prefix),
    onDamaged,
    ...file !== undefined && { file },
  });
  return createKvStore({ database, ...options });
}

/** A store that others write to as well. */
export function openSharedKv({ kv, prefix, onDamaged, ...options }: OpenKvOptions): CounterStore {
  return createKvStore({
    database: createSharedDatabase({ kv, keys: kvKeys(prefix), onDamaged }),
    ...options,
  });
}
