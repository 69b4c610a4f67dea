import type { Calendar } from "../../counter/calendar.ts";
import type { KvDatabase } from "./kv_database.ts";
import { OWN } from "./kv_keys.ts";
import { generationAt } from "./kv_marks.ts";
import { endSalts } from "./kv_salt.ts";

/** How many marks end in one commit: hits that come meanwhile wait no longer for it than for one of theirs. */
const AT_ONCE = 100;
/** How long after the opening the first sweep comes, for a process that was off at midnight: the first requests come first. */
const FIRST_AFTER_MS = 1000;
/** How long after one the next comes at most; at midnight there is one in any case. */
const INTERVAL_MS = 3_600_000;

/** What removes marks; nobody else may write marks of their kind meanwhile. */
export interface Sweeper {
  end(): Promise<void>;
}

/**
 * What removes the salts of days that are over, at midnight or soon after the start, and what makes hits the same: where
 * nobody else writes nothing expires by itself.
 */
export function createSweeper(
  { database, calendar }: { database: KvDatabase; calendar: Calendar },
): Sweeper {
  const { kv } = database;
  /** Not a timeout, as the first call of setTimeout takes long, and a first request may be waiting. */
  let next: AbortSignal | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let ended = false;

  async function sweep(): Promise<void> {
    const today = calendar.today();
    await endSalts(database, today);
    if (database.isShared) return;
    await removeBefore([OWN, "seen"], today);
    // Keys are looked for in the generation before as well.
    const generation = generationAt(Date.now()) - 1;
    await removeBefore([OWN, "once"], generation);
    await removeBefore([OWN, "deleted"], generation);
  }

  async function removeBefore(prefix: Deno.KvKey, first: number): Promise<void> {
    const entries = kv.list({ prefix, end: [...prefix, first] }, { batchSize: AT_ONCE });
    let keys: Deno.KvKey[] = [];
    for await (const { key } of entries) {
      if (keys.push(key) === AT_ONCE) keys = await remove(keys);
      if (ended) return;
    }
    await remove(keys);
  }

  /** Pauses as long as it took, so that hits have half of the time at least. */
  async function remove(keys: readonly Deno.KvKey[]): Promise<Deno.KvKey[]> {
    if (keys.length === 0) return [];
    const start = performance.now();
    const operation = kv.atomic();
    for (const key of keys) operation.delete(key);
    await operation.commit();
    await new Promise((resolve) => setTimeout(resolve, performance.now() - start));
    return [];
  }

  function sweepIn(milliseconds: number): void {
    if (ended) return;
    next = AbortSignal.timeout(milliseconds);
    next.onabort = () => {
      // What it does not get to now is there next time.
      sweeping = sweep().catch(() => {})
        .then(() => sweepIn(Math.min(INTERVAL_MS, calendar.untilMidnight())));
    };
  }

  sweepIn(FIRST_AFTER_MS);
  return {
    async end() {
      ended = true;
      if (next !== undefined) next.onabort = null;
      await sweeping;
    },
  };
}
