import type { CounterId } from "../../counter/counter_id.ts";
import type { Change, CounterStore, Outcome } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { additionsOf } from "../additions.ts";
import type { StoreHealth } from "../store_health.ts";
import type { Before, KvDatabase } from "./kv_database.ts";
import { type Entry, totalAfter } from "./kv_entries.ts";

/** Options of {@linkcode createKvStore}. */
export interface KvStoreOptions {
  /** Belongs to the store from then on. */
  database: KvDatabase;
  /** The first part of every key; the second is the id. */
  prefix: string;
  source: "deno-kv" | "memory";
  health: StoreHealth;
}

/**
 * One batch at a time: the next gathers while the disk or the network is busy with this one. A commit may have 100 checks
 * (docs.deno.com, "Key-value store limits").
 */
export const KV_BATCHES = { batches: 1, idsPerBatch: 100 };
/** How long conflicts with other writers are retried. */
const CONFLICT_LIMIT_MS = 1500;
/** How long a conflict is followed by nothing, at most. */
const CONFLICT_PAUSE_MS = 20;

/** Counters in Deno KV: the key is [prefix, id] and holds a KvU64; a batch is one atomic commit. */
export function createKvStore({ database, prefix, source, health }: KvStoreOptions): CounterStore {
  let closing: Promise<void> | undefined;

  async function change(given: readonly Change[]): Promise<readonly Outcome[]> {
    const changes = additionsOf(given);
    const ids = changes.map(({ id }) => id);
    checkPresent();
    const giveUp = performance.now() + CONFLICT_LIMIT_MS;
    while (true) {
      const entries = knownEntries(ids) ?? await database.read(ids).catch(unavailable);
      const outcomes = changes.map(({ amount }, index) => totalAfter(entries[index], amount));
      if (!outcomes.some((outcome) => typeof outcome === "number")) return outcomes;
      const operation = writing(outcomes, { ids, entries });
      const versionstamp = await database.commit(operation, { ids, entries }).catch(unwritten);
      if (versionstamp !== null) {
        database.keep(ids, outcomes.map((outcome) => ({ outcome, versionstamp })));
        health.well();
        return outcomes;
      }
      if (performance.now() > giveUp) {
        unavailable(new Error("Too many conflicts with other writers"));
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * CONFLICT_PAUSE_MS));
    }
  }

  /** Writes the new numbers, unless somebody writes in between. */
  function writing(outcomes: readonly Outcome[], { ids, entries }: Before): Deno.AtomicOperation {
    const operation = database.kv.atomic();
    ids.forEach((id, index) => {
      const total = outcomes[index];
      if (typeof total !== "number") return;
      const key = [prefix, id];
      operation.check({ key, versionstamp: entries[index]?.versionstamp ?? null });
      // Never `sum`: where one mutation is refused because of its type, the others of its commit are stored.
      operation.set(key, new Deno.KvU64(BigInt(total)));
    });
    return operation;
  }

  /** The entries where all are known without asking. */
  function knownEntries(ids: readonly CounterId[]): Entry[] | undefined {
    const entries: Entry[] = [];
    for (const id of ids) {
      const entry = database.known(id);
      if (entry === undefined) return undefined;
      entries.push(entry);
    }
    return entries;
  }

  function known(id: CounterId): number | undefined {
    const outcome = database.known(id)?.outcome;
    if (typeof outcome !== "number") return undefined;
    try {
      database.checkPresent();
      health.readable();
      return outcome;
    } catch {
      // Who asks the store next is told.
      return undefined;
    }
  }

  async function read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    checkPresent();
    const entries = knownEntries(ids) ?? await database.read(ids).catch(unavailable);
    health.readable();
    return entries.map(({ outcome }) => outcome);
  }

  async function check(): Promise<readonly string[]> {
    checkPresent();
    await database.kv.get([prefix, "home"]).catch(unavailable);
    health.readable();
    return [];
  }

  /** So that nothing is written to a file that is known to have gone away. */
  function checkPresent(): void {
    try {
      database.checkPresent();
    } catch (cause) {
      unavailable(cause);
    }
  }

  function unavailable(cause: unknown): never {
    health.away(cause);
    throw new Problem("store-unavailable", { cause });
  }

  function unwritten(problem: Problem): never {
    health.unwritable(problem.cause);
    throw problem;
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
    check,
    close: () => closing ??= database.close(),
  };
}
