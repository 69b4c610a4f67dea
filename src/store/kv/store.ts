import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import type { CounterState, Day } from "../../counter/days.ts";
import type {
  CounterStore,
  HistoryQuery,
  ListOptions,
  ListPage,
  Outcome,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { StoreHealth } from "../store_health.ts";
import { type CommitOptions, planAndCommit } from "./commit.ts";
import type { KvDatabase } from "./database.ts";
import { kvKeys } from "./layout.ts";
import { KV_BATCHES } from "./limits.ts";
import { listCounters } from "./list.ts";
import { openOwnDatabase, type OwnDatabaseOptions } from "./own_database.ts";
import { createPlanner } from "./planner.ts";
import { contentOf, type KvRecord, readHistories } from "./records.ts";
import { createSharedDatabase } from "./shared_database.ts";
import { createSweeper, saltOf } from "./sweeper.ts";

/** The database belongs to the store from then on. */
export interface KvStoreOptions extends Omit<OwnDatabaseOptions, "keys"> {
  /** The beginning of the counters' keys. */
  prefix: string;
  source: "deno-kv" | "memory";
  /** Whether others write to the database as well. */
  isShared: boolean;
  health: StoreHealth;
  /** Whose days hits belong to. */
  calendar: Calendar;
}

/** Opens the counters in a Deno KV. */
export async function openKvStore(options: KvStoreOptions): Promise<CounterStore> {
  const { kv, prefix, onDamaged, file, journalLimits, isShared, calendar } = options;
  const place = { kv, keys: kvKeys(prefix), onDamaged };
  const database = isShared
    ? createSharedDatabase({ ...place, calendar })
    : await openOwnDatabase({ ...place, file, journalLimits });
  return createKvStore(database, options);
}

function createKvStore(
  database: KvDatabase,
  { source, health, calendar }: Pick<KvStoreOptions, "source" | "health" | "calendar">,
): CounterStore {
  const planner = createPlanner(database, calendar);
  const sweeper = createSweeper({ database, calendar });
  let closing: Promise<void> | undefined;

  async function change<Item, Outcome>(
    items: readonly Item[],
    plan: CommitOptions<Item, Outcome>["plan"],
  ): Promise<(Outcome | Problem)[]> {
    checkPresent();
    return await planAndCommit(items, { database, health, plan });
  }

  async function read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    checkPresent();
    const records = knownRecords(ids) ??
      await database.read(ids.map((id) => ({ id, withLedger: false }))).catch(unavailable);
    health.readable();
    return records.map(({ outcome }) => outcome);
  }

  /** Undefined unless all are known without reading. */
  function knownRecords(ids: readonly CounterId[]): KvRecord[] | undefined {
    const records: KvRecord[] = [];
    for (const id of ids) {
      const record = database.known(id);
      if (record === undefined) return undefined;
      records.push(record);
    }
    return records;
  }

  function known(id: CounterId): number | undefined {
    const outcome = database.known(id)?.outcome;
    if (typeof outcome !== "number") return undefined;
    try {
      database.checkPresent();
      health.readable();
      return outcome;
    } catch {
      // The read that follows fails with the reason.
      return undefined;
    }
  }

  async function history(queries: readonly HistoryQuery[]): Promise<(CounterState | Problem)[]> {
    checkPresent();
    const records = await readHistories(database, queries).catch(unavailable);
    health.readable();
    return records.map(contentOf);
  }

  async function salt(day: Day): Promise<string> {
    checkPresent();
    return await saltOf(day, database).catch(unavailable);
  }

  async function* list(options: ListOptions): AsyncGenerator<ListPage> {
    checkPresent();
    try {
      yield* listCounters(database, options);
    } catch (cause) {
      unavailable(cause);
    }
  }

  async function check(): Promise<readonly string[]> {
    checkPresent();
    await database.kv.get(database.keys.total("home")).catch(unavailable);
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

  async function end(): Promise<void> {
    await sweeper.end();
    await database.close();
  }

  function unavailable(cause: unknown): never {
    health.away(cause);
    throw new Problem("store-unavailable", { cause });
  }

  return {
    source,
    ...KV_BATCHES,
    add: (additions) => change(additions, planner.additions),
    addOnce: (additions) => change(additions, planner.onceAdditions),
    write: (writes) => change(writes, planner.writes),
    salt,
    read,
    known,
    history,
    list,
    check,
    close: () => closing ??= end(),
  };
}
