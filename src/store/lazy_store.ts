import { Failure } from "../domain/errors.ts";
import type { CounterStore, OpenStore, StoreTraits } from "../domain/store.ts";
import type { StoreHealth } from "./store_health.ts";

export interface LazyStoreOptions {
  traits: StoreTraits;
  health: StoreHealth;
  /** A resource to close if the store never opens. A store that opens owns it. */
  resource?: Pick<CounterStore, "close">;
  open(): Promise<OpenStore>;
}

/** Delay before a store without calls is opened, in milliseconds. It would slow down the start. */
const OPEN_AFTER_MS = 100;
/** Delay before opening is tried again, in milliseconds. */
const RETRY_MS = 500;

/**
 * Returns a store that is opened by its first call or soon after the start. If that fails, it is
 * tried again until it succeeds.
 */
export function createLazyStore(
  { traits, health, resource, open }: LazyStoreOptions,
): CounterStore {
  /**
   * The first attempt. Later ones replace it only if they succeed, so that calls fail at once while
   * they run.
   */
  let opening: Promise<CounterStore> | undefined;
  let latest: Promise<CounterStore> | undefined;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  // The first setTimeout of a process costs 5 ms in Deno 2.9; AbortSignal.timeout costs 0.5 ms.
  const soon = AbortSignal.timeout(OPEN_AFTER_MS);
  soon.onabort = () => opened().catch(() => {});

  function opened(): Promise<CounterStore> {
    soon.onabort = null;
    return opening ??= latest = attempt();
  }

  async function attempt(): Promise<CounterStore> {
    try {
      // The methods of the store replace these, so that from then on a call costs no more than the
      // store's own.
      const store = Object.assign(lazy, await open());
      health.healthy();
      return store;
    } catch (cause) {
      // A server may answer although the store cannot be opened.
      health.unwritable(cause);
      if (!isClosed) retry = setTimeout(tryAgain, RETRY_MS);
      throw new Failure("store-unavailable", { cause });
    }
  }

  function tryAgain(): void {
    const again = latest = attempt();
    again.then(() => opening = again, () => {});
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
      isClosed = true;
      clearTimeout(retry);
      await (await latest?.catch(() => undefined) ?? resource)?.close();
    },
  };
  return lazy;
}
