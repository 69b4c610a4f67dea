import type { Calendar } from "../../counter/calendar.ts";
import type { Day } from "../../counter/days.ts";
import type { KvDatabase } from "./database.ts";
import { dayBucketAt } from "./deduplication_keys.ts";
import { OWN, saltKey } from "./layout.ts";
import { FIRST_SWEEP_MS, RETRY_SWEEP_MS, SWEEP_INTERVAL_MS } from "./limits.ts";

/**
 * So long that SQLite keeps the end of it in a page of its own (sqlite.org/fileformat2.html, section 1.6). Where rows share a
 * page, some move to another when it is full, and the bytes that were theirs stay.
 */
const SALT_BYTES = 600;

/** The salt of a day: made by the first who needs it, who also deletes that of the day before if it can be erased now. */
export async function saltOf(day: Day, database: KvDatabase): Promise<string> {
  const { kv } = database;
  const key = saltKey(day);
  while (true) {
    const { value } = await kv.get<unknown>(key);
    if (typeof value === "string") return value;
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES)).toHex();
    const operation = kv.atomic().check({ key, versionstamp: null }).set(key, salt);
    const last = await kv.get(saltKey(day - 1));
    if (last.versionstamp !== null && await database.eraseSalts(day)) operation.delete(last.key);
    await database.serialize(() => operation.commit());
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
  /** Whether salts of past days were found and could not be deleted yet. */
  let saltsLeft = false;

  async function sweep(): Promise<void> {
    const today = calendar.today();
    await deleteSalts(today);
    if (database.isShared) return;
    await deleteBefore([OWN, "seen"], today);
    // Keys are looked for in the bucket of the day before as well.
    const bucket = dayBucketAt(Date.now()) - 1;
    await deleteBefore([OWN, "once"], bucket);
    await deleteBefore([OWN, "deleted"], bucket);
  }

  async function deleteSalts(today: Day): Promise<void> {
    const salts = await Array.fromAsync(kv.list({ prefix: [OWN, "salt"], end: saltKey(today) }));
    saltsLeft = salts.length > 0;
    if (!saltsLeft || !await database.eraseSalts(today)) return;
    const operation = kv.atomic();
    for (const { key } of salts) operation.delete(key);
    await database.serialize(() => operation.commit());
    saltsLeft = false;
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
          const interval = saltsLeft ? RETRY_SWEEP_MS : SWEEP_INTERVAL_MS;
          sweepIn(Math.min(interval, calendar.msUntilMidnight()));
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
