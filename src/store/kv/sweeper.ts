import type { Day } from "../../domain/history.ts";
import { pause } from "../../waiting.ts";
import type { Database } from "./database.ts";
import { dayBucketAt, INTERNAL, saltKey } from "./kv_layout.ts";

/** Delay of the first sweep, so that it does not slow down the first requests. */
const FIRST_SWEEP_MS = 1000;
/** Maximum interval of sweeps. There is one at midnight in any case. */
const SWEEP_INTERVAL_MS = 3_600_000;
/** Maximum number of keys that one commit deletes, because hits wait for it. */
const KEYS_PER_COMMIT = 100;

/** Returns the salt of a day. The first caller creates it, and deletes that of the day before. */
export async function readSalt(day: Day, database: Database): Promise<string> {
  const { kv } = database.place;
  const key = saltKey(day);
  while (true) {
    const entry = await kv.get<unknown>(key);
    if (typeof entry.value === "string") return entry.value;
    const salt = crypto.getRandomValues(new Uint8Array(16)).toHex();
    // Deno may repeat the commit after the day, if its reply was lost. A sweep deletes that salt.
    const operation = kv.atomic().check(entry).set(key, salt);
    await operation.delete(saltKey(day - 1)).commit();
  }
}

/**
 * Deletes the salts of past days soon after the start and at midnight. In a database of this
 * process alone, where nothing expires by itself, it also deletes old deduplication keys.
 *
 * Returns the function that ends it, which resolves when a sweep in progress has ended.
 */
export function startSweeper(database: Database): () => Promise<void> {
  const { kv, calendar } = database.place;
  /** Not a timeout, because the first setTimeout of a process costs 5 ms. */
  let next: AbortSignal;
  let sweeping: Promise<void> = Promise.resolve();
  let hasEnded = false;

  async function sweep(): Promise<void> {
    const today = calendar.today();
    await deleteBefore("salt", today);
    if (database.place.isShared) return;
    await deleteBefore("seen", today);
    // Keys are also searched in the bucket of the day before.
    const bucket = dayBucketAt(Date.now()) - 1;
    await deleteBefore("once", bucket);
    await deleteBefore("deleted", bucket);
  }

  /** Deletes the entries of a kind before a day or bucket. Leaves half of the time to hits. */
  async function deleteBefore(kind: string, first: number): Promise<void> {
    const range = { prefix: [INTERNAL, kind], end: [INTERNAL, kind, first] };
    while (!hasEnded) {
      const start = performance.now();
      const entries = await Array.fromAsync(kv.list(range, { limit: KEYS_PER_COMMIT }));
      if (entries.length === 0) return;
      const operation = kv.atomic();
      for (const { key } of entries) operation.delete(key);
      await operation.commit();
      await pause(performance.now() - start);
    }
  }

  function begin(): void {
    // The next sweep deletes what a failed one leaves.
    sweeping = sweep().catch(() => {}).then(() => {
      sweepIn(Math.min(SWEEP_INTERVAL_MS, calendar.msUntilMidnight()));
    });
  }

  function sweepIn(milliseconds: number): void {
    if (hasEnded) return;
    next = AbortSignal.timeout(milliseconds);
    next.addEventListener("abort", begin);
  }

  sweepIn(FIRST_SWEEP_MS);
  return async () => {
    hasEnded = true;
    // With `onabort = null`, Deno 2.9 would still wait for the timeout before the process ends.
    next.removeEventListener("abort", begin);
    await sweeping;
  };
}
