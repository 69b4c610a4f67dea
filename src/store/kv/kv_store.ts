import { currentDays, stateOf } from "../../domain/calendar.ts";
import type { CounterState } from "../../domain/history.ts";
import type { Addition, OnceAddition, OnceOutcome, StoreCalls, Write } from "../../domain/store.ts";
import { planHits, planOnce, planWrite } from "../../domain/planner.ts";
import { type ChangeKind, Database, type DatabaseOptions } from "./database.ts";
import { type OnceRecord, readForOnce, readForWrites } from "./deduplication.ts";
import { listCounters } from "./list.ts";
import { type KvRecord, readHistories } from "./records.ts";
import { readSalt, startSweeper } from "./sweeper.ts";

/**
 * Opens the counters in a Deno KV. What a killed process left in the journal of a file is loaded
 * first. Rejects with `store-unavailable` if it cannot be read.
 */
export async function openKvStore(options: DatabaseOptions): Promise<StoreCalls> {
  const database = new Database(options);
  if (!options.isShared) await database.load();
  const endSweeper = startSweeper(database);
  let closing: Promise<void> | undefined;

  const hits: ChangeKind<Addition, KvRecord, number> = {
    isJournaled: true,
    read: (additions, now) => database.readForHits(additions, now),
    plan: ({ amount }, record, now) => planHits(record, amount, now),
  };
  const onceHits: ChangeKind<OnceAddition, OnceRecord, readonly OnceOutcome[]> = {
    read(additions, { today }) {
      return Promise.all(additions.map((one) => readForOnce(database.place, one, today)));
    },
    plan: ({ hits }, record, now) => planOnce(record, { hits, known: record.known, now }),
  };
  const writes: ChangeKind<Write, KvRecord, CounterState> = {
    read: (writes) => readForWrites(database.place, writes),
    plan: ({ update }, record, now) => planWrite(record, update, now),
  };

  async function close(): Promise<void> {
    await endSweeper();
    await database.close();
  }

  return {
    add: (additions) => database.change(additions, hits),
    addOnce: (additions) => database.change(additions, onceHits),
    write: (some) => database.change(some, writes),
    salt: (day) => database.read(() => readSalt(day, database)),
    read: (ids) =>
      database.read(async () => (await database.readTotals(ids)).map(({ total }) => total)),
    known: database.known,
    history: (queries) =>
      database.read(async () => {
        const now = currentDays(database.place.calendar);
        const records = await readHistories(database.place, queries);
        return records.map((record) => stateOf(record, now));
      }),
    list: (options) => listCounters(database, options),
    async check() {
      await database.check();
      return [];
    },
    close: () => closing ??= close(),
  };
}
