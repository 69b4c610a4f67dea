import { Problem } from "../problem.ts";
import type { CounterStore, Source } from "./store.ts";
import type { StoreHealth } from "./store_health.ts";

/** A store that is opened by its first call; where that fails, the next call tries again. */
export function createLazyStore(
  source: Source,
  health: StoreHealth,
  open: () => Promise<CounterStore>,
): CounterStore {
  let opening: Promise<CounterStore> | undefined;

  async function opened(): Promise<CounterStore> {
    opening ??= open();
    try {
      return await opening;
    } catch (cause) {
      opening = undefined;
      health.away(cause);
      throw new Problem("store-unavailable", { cause });
    }
  }

  return {
    source,
    batches: 1,
    idsPerBatch: 100,
    add: async (additions) => (await opened()).add(additions),
    read: async (ids) => (await opened()).read(ids),
    check: async () => (await opened()).check(),
    close: async () => await (await opening?.catch(() => undefined))?.close(),
  };
}
