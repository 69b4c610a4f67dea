import { Problem } from "../problem.ts";
import type { CounterStore } from "../counter/store.ts";
import type { StoreHealth } from "./store_health.ts";

/** What is known of a store before it is open. */
export type StoreTraits = Pick<
  CounterStore,
  "source" | "batches" | "idsPerBatch" | "importPortion" | "importById"
>;

export interface LazyStoreOptions {
  traits: StoreTraits;
  health: StoreHealth;
  /** What is to be closed where the store never opens; it belongs to the store that does. */
  held?: Pick<CounterStore, "close">;
  open(): Promise<CounterStore>;
}

/** When a store is opened that nobody has called yet, in milliseconds: after the start, which it would hold up. */
const OPEN_AFTER = 100;

/** A store that is opened by its first call or soon after the start; where that fails, the next call tries again. */
export function createLazyStore({ traits, health, held, open }: LazyStoreOptions): CounterStore {
  /** Undefined until it is open: from then on nobody waits for a promise more than the store's own. */
  let store: CounterStore | undefined;
  let opening: Promise<CounterStore> | undefined;
  // The first call of setTimeout loads what takes an eighth of a start.
  const soon = AbortSignal.timeout(OPEN_AFTER);
  soon.onabort = () => opened().catch(() => {});

  async function opened(): Promise<CounterStore> {
    soon.onabort = null;
    const attempt = opening ??= open();
    try {
      return store = await attempt;
    } catch (cause) {
      // Another caller may have begun anew already.
      if (opening === attempt) opening = undefined;
      health.away(cause);
      throw new Problem("store-unavailable", { cause });
    }
  }

  return {
    ...traits,
    add: (hits) => store?.add(hits) ?? opened().then((store) => store.add(hits)),
    addOnce: (hits) => store?.addOnce(hits) ?? opened().then((store) => store.addOnce(hits)),
    write: (writes) => store?.write(writes) ?? opened().then((store) => store.write(writes)),
    salt: (day) => store?.salt(day) ?? opened().then((store) => store.salt(day)),
    read: (ids) => store?.read(ids) ?? opened().then((store) => store.read(ids)),
    known: (id) => store?.known?.(id),
    history: (asked) => store?.history(asked) ?? opened().then((store) => store.history(asked)),
    async *list(options) {
      yield* (await opened()).list(options);
    },
    check: () => store?.check() ?? opened().then((store) => store.check()),
    async close() {
      soon.onabort = null;
      await (await opening?.catch(() => undefined) ?? held)?.close();
    },
  };
}
