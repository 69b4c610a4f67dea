import type { CounterId } from "../../counter/counter_id.ts";
import { Problem } from "../../problem.ts";
import { Recent } from "../../recent.ts";
import type { Before, KvDatabase } from "./kv_database.ts";
import { type Entry, type KvCounters, readEntries } from "./kv_entries.ts";
import type { KvFile } from "./kv_file.ts";

/** How many entries are kept for sure. */
const KEPT = 10_000;
/** What SQLite says where it wrote no commit; elsewhere the next crash may still bring to light what it wrote. */
const SURELY_REFUSED = /database or disk is full|database is locked|read-?only/i;

/** Options of {@linkcode createOwnDatabase}. */
export interface OwnDatabaseOptions extends KvCounters {
  /** The file that holds the database; undefined for one in memory. */
  file?: KvFile;
}

/** A database that nobody else writes to: what this process wrote or read last is what it holds, so that is kept. */
export function createOwnDatabase({ kv, prefix, file }: OwnDatabaseOptions): KvDatabase {
  const kept = new Recent<CounterId, Entry>(KEPT);
  /** How many commits have begun, and how many of them are under way. */
  let [begun, underWay] = [0, 0];

  /** Keeps counters; not those that nobody ever hit, which would push out those that count. */
  function keep(ids: readonly CounterId[], entries: readonly Entry[]): void {
    ids.forEach((id, index) => {
      const entry = entries[index];
      if (entry?.versionstamp && typeof entry.outcome === "number") kept.set(id, entry);
    });
  }

  async function read(ids: readonly CounterId[]): Promise<Entry[]> {
    const since = underWay === 0 ? begun : undefined;
    const entries = await readEntries({ kv, prefix }, ids);
    // What was read while a commit was under way may be what was there before it.
    if (since === begun) keep(ids, entries);
    return entries;
  }

  async function commit(operation: Deno.AtomicOperation, before: Before): Promise<string | null> {
    const versionstamp = await carriedOut(operation).catch((cause) => found(before, cause));
    if (versionstamp === null) forget(before.ids);
    else confirm(before.ids, versionstamp);
    return versionstamp;
  }

  async function carriedOut(operation: Deno.AtomicOperation): Promise<string | null> {
    begun++;
    underWay++;
    try {
      const result = await operation.commit();
      return result.ok ? result.versionstamp : null;
    } finally {
      underWay--;
    }
  }

  /** The versionstamp of a commit that failed and was carried out all the same. */
  async function found({ ids, entries }: Before, cause: unknown): Promise<string> {
    forget(ids);
    const after = await read(ids).catch(() => undefined);
    const changed = after?.find((entry, index) => {
      return entry.versionstamp !== (entries[index]?.versionstamp ?? null);
    });
    if (changed?.versionstamp) return changed.versionstamp;
    const surely = after !== undefined && SURELY_REFUSED.test(String(cause));
    throw new Problem(surely ? "store-unavailable" : "outcome-unknown", { cause });
  }

  function confirm(ids: readonly CounterId[], versionstamp: string): void {
    try {
      file?.confirm(versionstamp);
    } catch (cause) {
      // The file went away just now: the hits are in it, wherever it is.
      forget(ids);
      throw new Problem("outcome-unknown", { cause });
    }
  }

  function forget(ids: readonly CounterId[]): void {
    for (const id of ids) kept.delete(id);
  }

  return {
    kv,
    checkPresent: () => file?.checkPresent(),
    known: (id) => kept.get(id),
    read,
    commit,
    keep,
    close: () => file?.close() ?? Promise.resolve(kv.close()),
  };
}
