import { createCalendar } from "../../src/domain/calendar.ts";
import type { Day } from "../../src/domain/history.ts";
import type { CounterStore } from "../../src/domain/store.ts";
import type { JournalLimits } from "../../src/store/kv/journal.ts";
import type { CounterFile } from "../../src/store/kv/file/counter_file.ts";
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { KV_BATCHES } from "../../src/store/open_store.ts";
import type { StoreHealth } from "../../src/store/store_health.ts";
import { NOOP_HEALTH } from "./noop_health.ts";

/** Options of a store on Deno KV. The defaults are those of the service. */
export interface KvStoreSetup {
  kv: Deno.Kv;
  prefix?: string;
  source?: "deno-kv" | "memory";
  health?: StoreHealth;
  /** The file that holds it. */
  file?: CounterFile;
  /** True if other processes write to the database as well. */
  shared?: boolean;
  today?: () => Day;
  /** Returns the milliseconds left of that day. */
  msUntilMidnight?: () => number;
  journalLimits?: JournalLimits;
  /** Called with a counter whose open day is ahead. */
  onAhead?: (id: string) => void;
}

/** A day to count hits on, where a test is not about days: 2026-11-20. */
export const SOME_DAY: Day = 20_777;

/** Opens a store on a Deno KV, which belongs to it from then on. */
export async function kvStore(
  {
    shared = false,
    source = "deno-kv",
    today = () => SOME_DAY,
    // The other clocks of a test may be past midnight.
    msUntilMidnight = () => 60_000,
    ...setup
  }: KvStoreSetup,
): Promise<CounterStore> {
  const store = await openKvStore({
    prefix: "hits:",
    health: NOOP_HEALTH,
    calendar: { ...createCalendar("UTC"), today, msUntilMidnight },
    onAhead() {},
    ...setup,
    isShared: shared,
  });
  return { source, ...KV_BATCHES, ...store };
}
