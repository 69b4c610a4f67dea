import { Problem } from "../problem.ts";
import type { CounterStore } from "../counter/store.ts";
import type { StoreHealth } from "./store_health.ts";

/** What is known of a store before it is open. */
export type StoreTraits = Pick<CounterStore, "source" | "batches" | "idsPerBatch">;

/** Options of {@linkcode createLazyStore}. */
export interface LazyStoreOptions {
  traits: StoreTraits;
  health: StoreHealth;
  open(): Promise<CounterStore>;
}

/** When a store is opened that nobody has called yet, in milliseconds: after the start, which it would hold up. */
const OPEN_AFTER = 100;

/** A store that is opened by its first call or soon after the start; where that fails, the next call tries again. */
export function createLazyStore({ traits, health, open }: LazyStoreOptions): CounterStore {
  let opening: Promise<CounterStore> | undefined;
  // The first call of setTimeout loads what takes an eighth of a start.
  const soon = AbortSignal.timeout(OPEN_AFTER);
  soon.onabort = () => opened().catch(() => {});

  async function opened(): Promise<CounterStore> {
    soon.onabort = null;
    const attempt = opening ??= open();
    try {
      return await attempt;
    } catch (cause) {
      // Another caller may have begun anew already.
      if (opening === attempt) opening = undefined;
      health.away(cause);
      throw new Problem("store-unavailable", { cause });
    }
  }

  return {
    ...traits,
    change: async (changes) => (await opened()).change(changes),
    salt: async (day) => (await opened()).salt(day),
    read: async (ids) => (await opened()).read(ids),
    history: async (questions) => (await opened()).history(questions),
    async *list(options) {
      yield* (await opened()).list(options);
    },
    check: async () => (await opened()).check(),
    async close() {
      soon.onabort = null;
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}
