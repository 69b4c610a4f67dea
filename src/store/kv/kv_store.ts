import { Problem } from "../../problem.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { KvFile } from "./kv_file.ts";
import { type Entry, KvEntries, sum } from "./kv_entries.ts";
import type { Addition, Change, CounterStore, Outcome } from "../../counter/store.ts";
import { additionsOf } from "../additions.ts";
import type { StoreHealth } from "../store_health.ts";

/** Options of {@linkcode createKvStore}. */
export interface KvStoreOptions {
  kv: Deno.Kv;
  /** The first part of every key; the second is the id. */
  prefix: string;
  source: "deno-kv" | "memory";
  health: StoreHealth;
  /** Whether others may write too, as they may where the database is reached over a network. */
  shared: boolean;
  /** The file that holds the database, where it is one. */
  file?: KvFile;
}

/**
 * One batch at a time: the next gathers while the disk or the network is busy with this one. A commit may have 100 checks
 * (docs.deno.com, "Key-value store limits").
 */
export const KV_BATCHES = { batches: 1, idsPerBatch: 100 };
/** How long conflicts with other writers are retried, in milliseconds. */
const CONFLICT_LIMIT = 1500;
/** How long the database keeps a writer's mark, in milliseconds: far longer than a commit can be on its way. */
const MARK_LIFETIME = 3_600_000;

/** Counters in Deno KV: the key is [prefix, id] and holds a KvU64; a batch is one atomic commit. */
export function createKvStore(options: KvStoreOptions): CounterStore {
  const { kv, prefix, source, health, shared, file } = options;
  const counters = new KvEntries({ kv, prefix, shared });
  const markKey = ["tallymark", "writer", crypto.randomUUID()];
  let commits = 0;
  let closed = false;

  /** Writes the new numbers if nobody wrote in between; the new versionstamp, or null where somebody did. */
  async function commit(
    changes: readonly Addition[],
    entries: readonly Entry[],
    outcomes: readonly Outcome[],
  ): Promise<string | null> {
    const operation = kv.atomic();
    changes.forEach(({ id }, index) => {
      const total = outcomes[index];
      if (typeof total !== "number") return;
      const key = [prefix, id];
      operation.check({ key, versionstamp: entries[index]?.versionstamp ?? null });
      // Never `sum`: where one mutation is refused because of its type, the others of its commit are stored.
      operation.set(key, new Deno.KvU64(BigInt(total)));
    });
    commits++;
    if (shared) operation.set(markKey, commits, { expireIn: MARK_LIFETIME });
    const result = await counters.commit(operation);
    if (result.ok) return result.versionstamp;
    // A commit whose answer was lost is sent again by Deno and then conflicts with itself.
    return shared ? await ownCommit() : null;
  }

  /** The versionstamp of the last commit if its mark is there, so that it was carried out; null otherwise. */
  async function ownCommit(): Promise<string | null> {
    const mark = await kv.get(markKey);
    return mark.value === commits ? mark.versionstamp : null;
  }

  async function change(given: readonly Change[]): Promise<readonly Outcome[]> {
    const changes = additionsOf(given);
    const ids = changes.map(({ id }) => id);
    checkPresent();
    const giveUp = performance.now() + CONFLICT_LIMIT;
    while (true) {
      const entries = counters.kept(ids) ?? await counters.read(ids).catch(unavailable);
      const outcomes = changes.map(({ amount }, index) => sum(entries[index], amount));
      if (!outcomes.some((outcome) => typeof outcome === "number")) return outcomes;
      const stamp = await commit(changes, entries, outcomes).catch((cause) =>
        recheck(ids, entries, cause)
      );
      if (stamp !== null) {
        confirm(ids, outcomes, stamp);
        return outcomes;
      }
      counters.forget(ids);
      if (performance.now() > giveUp) {
        return unavailable(new Error("Too many conflicts with other writers"));
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    }
  }

  /** After a commit that failed: its versionstamp where it was carried out all the same. */
  async function recheck(
    ids: readonly CounterId[],
    before: readonly Entry[],
    cause: unknown,
  ): Promise<string> {
    health.unwritable(cause);
    counters.forget(ids);
    const found = await (shared ? ownCommit() : newStamp(ids, before)).catch(() => undefined);
    if (found) return found;
    // Nobody else writes to a database of our own: what is as it was before was surely not written.
    const surely = !shared && found === null;
    throw new Problem(surely ? "store-unavailable" : "outcome-unknown", { cause });
  }

  async function newStamp(
    ids: readonly CounterId[],
    before: readonly Entry[],
  ): Promise<string | null> {
    const after = await counters.read(ids);
    const stamps = after.map(({ versionstamp }) => versionstamp);
    return stamps.find((stamp, index) => stamp !== before[index]?.versionstamp) ?? null;
  }

  function confirm(
    ids: readonly CounterId[],
    outcomes: readonly Outcome[],
    versionstamp: string,
  ): void {
    counters.keep(ids, outcomes.map((outcome) => ({ outcome, versionstamp })));
    try {
      file?.confirm(versionstamp);
    } catch (cause) {
      // The file went away just now: the hits are in it, wherever it is.
      health.away(cause);
      throw new Problem("outcome-unknown", { cause });
    }
    health.well();
  }

  function known(id: CounterId): number | undefined {
    const outcome = counters.get(id)?.outcome;
    if (typeof outcome !== "number") return undefined;
    try {
      file?.checkPresent();
      health.readable();
      return outcome;
    } catch {
      // Who asks the store next is told.
      return undefined;
    }
  }

  /** So that nothing is written to a file that is known to have gone away. */
  function checkPresent(): void {
    try {
      file?.checkPresent();
    } catch (cause) {
      unavailable(cause);
    }
  }

  function unavailable(cause: unknown): never {
    health.away(cause);
    throw new Problem("store-unavailable", { cause });
  }

  async function read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    try {
      file?.checkPresent();
      const entries = counters.kept(ids) ?? await counters.read(ids);
      health.readable();
      return entries.map(({ outcome }) => outcome);
    } catch (cause) {
      return unavailable(cause);
    }
  }

  return {
    source,
    ...KV_BATCHES,
    change,
    read,
    known,
    history: () => Promise.reject(new Problem("store-unavailable")),
    list() {
      throw new Problem("store-unavailable");
    },
    async check() {
      try {
        file?.checkPresent();
        await kv.get([prefix, "home"]);
        health.readable();
        return [];
      } catch (cause) {
        return unavailable(cause);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      if (file === undefined) kv.close();
      else await file.close();
    },
  };
}
