import type { Log } from "../log.ts";

/** Whether a store answers; says so in the log once when it goes away and once when it is back. */
export interface StoreHealth {
  /** The store did not do what it was asked. */
  away(cause: unknown): void;
  /** The store did what it was asked. */
  well(): void;
}

/** The health of a store that is taken to be well until it is not. */
export function createStoreHealth(log: Log): StoreHealth {
  let away = false;
  return {
    away(cause) {
      if (away) return;
      away = true;
      log.error("store away", { cause });
    },
    well() {
      if (!away) return;
      away = false;
      log.info("store back");
    },
  };
}
