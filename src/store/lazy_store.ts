import { Failure } from "../domain/errors.ts";
import type { CounterStore, StoreCalls, StoreTraits } from "../domain/store.ts";
import type { StoreHealth } from "./store_health.ts";

/** Delay before opening is tried again, in milliseconds. */
const RETRY_MS = 500;

/**
 * Returns a store on a network that is being opened. Calls wait for the first attempt. If that
 * fails, they fail at once until a later one succeeds.
 */
export function createLazyStore(
  { traits, health, open }: {
    traits: StoreTraits;
    health: StoreHealth;
    open(): Promise<StoreCalls>;
  },
): CounterStore {
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let latest: Promise<StoreCalls>;
  const first = begin();
  const lazy: CounterStore = {
    ...traits,
    add: async (additions) => await (await first).add(additions),
    addOnce: async (additions) => await (await first).addOnce(additions),
    write: async (writes) => await (await first).write(writes),
    salt: async (day) => await (await first).salt(day),
    read: async (ids) => await (await first).read(ids),
    history: async (asked) => await (await first).history(asked),
    async *list(options) {
      yield* (await first).list(options);
    },
    check: async () => await (await first).check(),
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await (await latest.catch(() => undefined))?.close();
    },
  };
  return lazy;

  async function attempt(): Promise<StoreCalls> {
    try {
      const store = await open();
      // From now on, a call costs no more than that of the store.
      Object.assign(lazy, store);
      health.healthy();
      // Reports at once if the store accepts no hits.
      store.check().catch(() => {});
      return store;
    } catch (cause) {
      // A server may answer although the store cannot be opened.
      health.unwritable(cause);
      if (!isClosed) retry = setTimeout(begin, RETRY_MS);
      throw new Failure("store-unavailable", { cause });
    }
  }

  function begin(): Promise<StoreCalls> {
    latest = attempt();
    // The health has the reason, even if no call waits for it.
    latest.catch(() => {});
    return latest;
  }
}
