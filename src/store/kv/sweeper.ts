import type { Calendar } from "../../counter/calendar.ts";
import type { Day } from "../../counter/days.ts";
import type { KvDatabase } from "./database.ts";
import { dayBucketAt } from "./deduplication_keys.ts";
import { OWN, saltKey } from "./layout.ts";
import { FIRST_SWEEP_MS, RETRY_SWEEP_MS, SWEEP_INTERVAL_MS } from "./limits.ts";

/** The salt of a day: made by the first who needs it, who also deletes that of the day before. */
export async function saltOf(day: Day, database: KvDatabase): Promise<string> {
  const { kv } = database;
  const key = saltKey(day);
  while (true) {
    const { value } = await kv.get<unknown>(key);
    if (typeof value === "string") return value;
    const salt = crypto.getRandomValues(new Uint8Array(16)).toHex();
    await database.serialize(() =>
      kv.atomic().check({ key, versionstamp: null }).set(key, salt).delete(saltKey(day - 1))
        .commit()
    );
  }
}

/** How many keys are deleted in one commit: hits that come meanwhile wait no longer for it than for one of theirs. */
const AT_ONCE = 100;

/** Runs until its end, which waits for a sweep that is under way. */
export interface Sweeper {
  end(): Promise<void>;
}

/**
 * Deletes the salts of past days, at midnight or soon after the start. In a database that nobody else writes to it also
 * deletes expired deduplication keys, as nothing expires there by itself.
 */
export function createSweeper(
  { database, calendar }: { database: KvDatabase; calendar: Calendar },
): Sweeper {
  const { kv } = database;
  /** Not a timeout, as the first call of setTimeout takes long, and a first request may be waiting. */
  let next: AbortSignal | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let ended = false;
  /** Whether the log may still hold salts that were deleted. */
  let logHoldsSalts = false;

  async function sweep(): Promise<void> {
    const today = calendar.today();
    if (await deleteSalts(database, today)) logHoldsSalts = true;
    if (logHoldsSalts) logHoldsSalts = !await database.truncateLog();
    if (database.isShared) return;
    await deleteBefore([OWN, "seen"], today);
    // Keys are looked for in the bucket of the day before as well.
    const bucket = dayBucketAt(Date.now()) - 1;
    await deleteBefore([OWN, "once"], bucket);
    await deleteBefore([OWN, "deleted"], bucket);
  }

  async function deleteBefore(prefix: Deno.KvKey, first: number): Promise<void> {
    const entries = kv.list({ prefix, end: [...prefix, first] }, { batchSize: AT_ONCE });
    let keys: Deno.KvKey[] = [];
    for await (const { key } of entries) {
      if (keys.push(key) === AT_ONCE) keys = await deleteAll(keys);
      if (ended) return;
    }
    await deleteAll(keys);
  }

  /** Pauses as long as it took, so that hits have half of the time at least. */
  async function deleteAll(keys: readonly Deno.KvKey[]): Promise<Deno.KvKey[]> {
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
        .then(() => {
          const interval = logHoldsSalts ? RETRY_SWEEP_MS : SWEEP_INTERVAL_MS;
          sweepIn(Math.min(interval, calendar.untilMidnight()));
        });
    };
  }

  sweepIn(FIRST_SWEEP_MS);
  return {
    async end() {
      ended = true;
      if (next !== undefined) next.onabort = null;
      await sweeping;
    },
  };
}

/** Deletes the salts of past days from the file; says whether there were any, which SQLite's log still holds then. */
async function deleteSalts(database: KvDatabase, today: Day): Promise<boolean> {
  const { kv } = database;
  const salts = kv.list<unknown>({ prefix: [OWN, "salt"], end: saltKey(today) });
  const operation = kv.atomic();
  let found = false;
  for await (const { key, value } of salts) {
    found = true;
    // What is deleted stays in the page of the file until something else takes its place.
    if (typeof value === "string") operation.set(key, "0".repeat(value.length));
    operation.delete(key);
  }
  if (found) await database.serialize(() => operation.commit());
  return found;
}
