import { Problem } from "../problem.ts";
import type { CounterStore } from "../counter/store.ts";
import type { StoreHealth } from "./store_health.ts";

/** What is known of a store before it is open; `lastSeen` says that it keeps numbers, of which it has none yet. */
export type StoreTraits = Pick<
  CounterStore,
  "source" | "batches" | "idsPerBatch" | "importPortion" | "importById" | "lastSeen"
>;

export interface LazyStoreOptions {
  traits: StoreTraits;
  health: StoreHealth;
  /** What to close if the store never opens; one that does open owns it. */
  held?: Pick<CounterStore, "close">;
  open(): Promise<CounterStore>;
}

/** How long after its creation a store is opened that nobody has called yet, in milliseconds: it would delay the start. */
const OPEN_AFTER = 100;

/** A store that is opened by its first call or soon after the start; if that fails, the next call tries again. */
export function createLazyStore({ traits, health, held, open }: LazyStoreOptions): CounterStore {
  let opening: Promise<CounterStore> | undefined;
  // Not a timeout: the first call of setTimeout loads much, and the start would wait for it.
  const soon = AbortSignal.timeout(OPEN_AFTER);
  soon.onabort = () => opened().catch(() => {});

  async function opened(): Promise<CounterStore> {
    soon.onabort = null;
    const attempt = opening ??= open();
    try {
      // Its methods take the place of these: from then on a call costs no more than the store's own.
      return Object.assign(lazy, await attempt);
    } catch (cause) {
      // Another caller may have begun anew already.
      if (opening === attempt) opening = undefined;
      health.away(cause);
      throw new Problem("store-unavailable", { cause });
    }
  }

  const lazy: CounterStore = {
    ...traits,
    add: async (additions) => await (await opened()).add(additions),
    addOnce: async (additions) => await (await opened()).addOnce(additions),
    write: async (writes) => await (await opened()).write(writes),
    salt: async (day) => await (await opened()).salt(day),
    read: async (ids) => await (await opened()).read(ids),
    known: () => undefined,
    history: async (asked) => await (await opened()).history(asked),
    async *list(options) {
      yield* (await opened()).list(options);
    },
    check: async () => await (await opened()).check(),
    async close() {
      soon.onabort = null;
      await (await opening?.catch(() => undefined) ?? held)?.close();
    },
  };
  return lazy;
}
