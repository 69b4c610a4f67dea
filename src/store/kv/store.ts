import type { CounterState } from "../../counter/days.ts";
import type { OnceOutcome } from "../../counter/once.ts";
import type {
  Addition,
  CounterStore,
  ListOptions,
  ListPage,
  OnceAddition,
  Write,
} from "../../counter/store.ts";
import { planHits, planOnce, planWrite, stateOf } from "../planner.ts";
import { Database, type DatabaseOptions, type Verb } from "./database.ts";
import { type OnceRecord, readForOnce } from "./deduplication.ts";
import { kvKeys } from "./layout.ts";
import { KV_BATCHES } from "./limits.ts";
import { listCounters } from "./list.ts";
import { type KvRecord, readForWrites, readHistories } from "./records.ts";
import { readSalt, startSweeper } from "./sweeper.ts";

/** The store closes the database. */
export interface KvStoreOptions extends Omit<DatabaseOptions, "keys"> {
  /** The first part of the counters' keys. */
  readonly prefix: string;
  readonly source: "deno-kv" | "memory";
}

/** Opens the counters in a Deno KV. */
export async function openKvStore(options: KvStoreOptions): Promise<CounterStore> {
  const { source, prefix, health } = options;
  const database = await Database.open({ ...options, keys: kvKeys(prefix) });
  const endSweeper = startSweeper(database);
  let closing: Promise<void> | undefined;

  const hits: Verb<Addition, KvRecord, number> = {
    isJournaled: true,
    read: (additions, today) => database.readForHits(additions, today),
    plan: ({ amount }, record, today) => planHits(record, amount, today),
  };
  const onceHits: Verb<OnceAddition, OnceRecord, readonly OnceOutcome[]> = {
    read: (additions, today) => readForOnce(database.place, additions, today),
    plan: ({ hits }, record, today) => planOnce(record, { hits, known: record.known, today }),
  };
  const writes: Verb<Write, KvRecord, CounterState> = {
    read: (writes) => readForWrites(database.place, writes),
    plan: ({ update }, record, today) => planWrite(record, update, today),
  };

  /** Reads, unless the file has vanished. */
  async function reading<Value>(read: () => Promise<Value>): Promise<Value> {
    database.checkPresent();
    const value = await read().catch((cause) => database.unavailable(cause));
    health.readable();
    return value;
  }

  async function* list(options: ListOptions): AsyncGenerator<ListPage> {
    database.checkPresent();
    try {
      yield* listCounters(database, options);
    } catch (cause) {
      database.unavailable(cause);
    }
  }

  async function close(): Promise<void> {
    await endSweeper();
    await database.close();
  }

  return {
    source,
    ...KV_BATCHES,
    add: (additions) => database.change(additions, hits),
    addOnce: (additions) => database.change(additions, onceHits),
    write: (some) => database.change(some, writes),
    salt: (day) => reading(() => readSalt(day, database)),
    read: (ids) => reading(async () => (await database.readTotals(ids)).map(({ total }) => total)),
    known: (id) => database.known(id),
    history: (queries) =>
      reading(async () => (await readHistories(database.place, queries)).map(stateOf)),
    list,
    check: () =>
      reading(async () => {
        await database.place.kv.get(database.place.keys.total("home"));
        return [];
      }),
    close: () => closing ??= close(),
  };
}
