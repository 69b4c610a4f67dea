import type { CounterId } from "../../counter/counter_id.ts";
import type { Day, Held } from "../../counter/days.ts";
import type { OnceOutcome } from "../../counter/once.ts";
import type {
  CounterStore,
  HistoryQuestion,
  ListOptions,
  ListPage,
  Outcome,
  Write,
} from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { KV_BATCHES } from "./kv_limits.ts";
import { createKvChanges, type KvChangesOptions } from "./kv_changes.ts";
import { heldOf, readHistories } from "./kv_history.ts";
import { kvKeys } from "./kv_keys.ts";
import { listCounters } from "./kv_list.ts";
import type { KvRecord } from "./kv_records.ts";
import { saltOf } from "./kv_salt.ts";
import { createSweeper } from "./kv_sweep.ts";
import { openOwnDatabase, type OwnDatabaseOptions } from "./own_database.ts";
import type { Change, ChangeOutcome } from "./plan.ts";
import { createSharedDatabase } from "./shared_database.ts";

/** The database belongs to the store from then on. */
export interface KvStoreOptions
  extends Omit<OwnDatabaseOptions, "keys">, Omit<KvChangesOptions, "database"> {
  /** The beginning of the counters' keys. */
  prefix: string;
  source: "deno-kv" | "memory";
  /** Whether others write to the database as well. */
  isShared: boolean;
}

/** Opens the counters in a Deno KV. */
export async function openKvStore(
  { kv, prefix, onDamaged, file, journalLimits, isShared, ...options }: KvStoreOptions,
): Promise<CounterStore> {
  const place = { kv, keys: kvKeys(prefix), onDamaged };
  const database = isShared
    ? createSharedDatabase({ ...place, calendar: options.calendar })
    : await openOwnDatabase({ ...place, file, journalLimits });
  return createKvStore({ ...options, database });
}

function createKvStore(
  { source, ...options }: KvChangesOptions & Pick<KvStoreOptions, "source">,
): CounterStore {
  const { database, health, calendar } = options;
  const carryOut = createKvChanges(options);
  const sweeper = createSweeper({ database, calendar });
  let closing: Promise<void> | undefined;

  async function change<Result extends ChangeOutcome>(
    changes: readonly Change[],
    isResult: (outcome: ChangeOutcome) => outcome is Result | Problem,
  ): Promise<(Result | Problem)[]> {
    checkPresent();
    const outcomes = await carryOut(changes);
    if (outcomes.every(isResult)) return outcomes;
    throw new TypeError("Change counters: an outcome of another kind");
  }

  async function read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    checkPresent();
    const records = knownRecords(ids) ??
      await database.read(ids.map((id) => ({ id, withLedger: false }))).catch(unavailable);
    health.readable();
    return records.map(({ outcome }) => outcome);
  }

  /** The records where all are known without asking. */
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
      // Who asks the store next is told.
      return undefined;
    }
  }

  async function history(questions: readonly HistoryQuestion[]): Promise<(Held | Problem)[]> {
    checkPresent();
    const records = await readHistories(database, questions).catch(unavailable);
    health.readable();
    return records.map(heldOf);
  }

  async function salt(day: Day): Promise<string> {
    checkPresent();
    return await saltOf(day, database).catch(unavailable);
  }

  async function* list(asked: ListOptions): AsyncGenerator<ListPage> {
    checkPresent();
    try {
      yield* listCounters(database, asked);
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
    add: (additions) =>
      change(additions.map(({ id, amount }) => ({ kind: "add", id, amount })), isNumber),
    addOnce: (additions) =>
      change(additions.map(({ id, hits }) => ({ kind: "once", id, hits })), isList),
    write: (writes) => change(writes.map(changeOf), isHeld),
    salt,
    read,
    known,
    history,
    list,
    check,
    close: () => closing ??= end(),
  };
}

function changeOf({ id, setting }: Write): Change {
  return setting === undefined ? { kind: "delete", id } : { kind: "set", id, ...setting };
}

function isNumber(outcome: ChangeOutcome): outcome is Outcome {
  return typeof outcome === "number" || outcome instanceof Problem;
}

function isList(outcome: ChangeOutcome): outcome is readonly OnceOutcome[] | Problem {
  return Array.isArray(outcome) || outcome instanceof Problem;
}

function isHeld(outcome: ChangeOutcome): outcome is Held | Problem {
  return outcome instanceof Problem || !(isNumber(outcome) || isList(outcome));
}
