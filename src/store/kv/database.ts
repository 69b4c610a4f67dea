import { BoundedMap } from "../../bounded_map.ts";
import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { type Day, DAY_MS, LAST_DAY } from "../../counter/days.ts";
import { Problem } from "../../problem.ts";
import type { Plan } from "../planner.ts";
import type { StoreHealth } from "../store_health.ts";
import {
  addToCommit,
  type Change,
  type Commit,
  commitAlone,
  createSharedCommit,
  cutIntoCommits,
  type Identified,
  type Lifetimes,
} from "./commit.ts";
import type { CounterFile } from "./file/counter_file.ts";
import { Journal, type JournalLimits } from "./journal.ts";
import { type KvPlace, type KvRecord, readRecords, readTotals, withYears } from "./records.ts";

/** Minimum number of counters that are remembered, at some 100 bytes each. */
const CACHE_SIZE = 100_000;
/** Time for which conflicts with other writers are retried, and maximum pause before a retry. */
const CONFLICT_LIMIT_MS = 1500;
const CONFLICT_PAUSE_MS = 20;
/** Time without a commit of many counters after which the journal is emptied. */
const JOURNAL_IDLE_MS = 1000;
/** Maximum time that emptying the journal may delay the end of the process. */
const JOURNAL_CLOSE_MS = 1000;

/** A kind of change: reads the records of its items, and plans each change from a record. */
export interface Verb<Item extends Identified, Read extends KvRecord, Result> {
  read(items: readonly Item[], today: Day): Promise<readonly (Read | undefined)[]>;
  plan(item: Item, record: Read, today: Day): Plan<Result>;
}

export interface DatabaseOptions extends Omit<KvPlace, "journaled"> {
  /** The file of the database, if it has one. */
  readonly file?: CounterFile | undefined;
  readonly journalLimits?: JournalLimits | undefined;
  readonly health: StoreHealth;
  /** The calendar whose days hits belong to. */
  readonly calendar: Calendar;
}

/**
 * Carries out changes: reads records, plans and commits, and starts again with those that another
 * process changed in between.
 *
 * In a database of this process alone changes take turns, so that what was written last is certain.
 * Hits on remembered counters then need no read, and hits on many counters go to the journal.
 */
export class Database {
  readonly place: KvPlace;
  readonly #options: DatabaseOptions;
  readonly #commitOperation: Commit;
  readonly #journal: Journal;
  /**
   * Counters as they were written or read last, without ledgers. Empty if the database is shared.
   */
  readonly #cache = new BoundedMap<CounterId, KvRecord>(CACHE_SIZE);
  /** Numbers of commits that have begun, and that are in flight. */
  #begun = 0;
  #inFlight = 0;
  /** True if it is unknown which rows are stored, so that the journal has to be loaded. */
  #isUncertain: boolean;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #folding: Promise<void> | undefined;
  /** Time until which the journal may be folded, once the database is being closed. */
  #foldEndTime = Infinity;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  private constructor(options: DatabaseOptions) {
    const { kv, isShared, journalLimits } = options;
    this.place = { ...options, journaled: (id) => this.#journal.get(id) };
    this.#options = options;
    this.#commitOperation = isShared ? createSharedCommit(kv) : commitAlone;
    this.#journal = new Journal(this.place, journalLimits);
    this.#isUncertain = !isShared;
  }

  /** Opens a database, and folds what a killed process left in its journal. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const database = new Database(options);
    if (options.isShared) return database;
    // The first turn loads the journal. Without it, reads would return old totals.
    await database.inTurn(() => Promise.resolve());
    await database.#foldJournal();
    return database;
  }

  /** Throws `store-unavailable` if the file is missing or was replaced. */
  checkPresent(): void {
    try {
      this.#options.file?.checkPresent();
    } catch (cause) {
      this.unavailable(cause);
    }
  }

  /** Reports that the database cannot be used, and throws `store-unavailable`. */
  unavailable(cause: unknown): never {
    this.#options.health.unreachable(cause);
    throw new Problem("store-unavailable", { cause });
  }

  /** Returns the record of a counter, without its ledger, if it is certain without a read. */
  known(id: CounterId): KvRecord | undefined {
    return this.#cache.get(id);
  }

  /** Reads totals, and remembers them unless a commit may change them at the same time. */
  async readTotals(ids: readonly CounterId[]): Promise<KvRecord[]> {
    const isQuiet = !this.#isUncertain && this.#inFlight === 0;
    const begun = this.#begun;
    const records = await readTotals(this.place, ids);
    if (!isQuiet || begun !== this.#begun) return records;
    for (const record of records) {
      if (record.exists && this.#cache.get(record.id) === undefined) this.#remember(record);
    }
    return records;
  }

  /** Reads records for hits, except of counters that are known with the day open. */
  async readForHits(items: readonly Identified[], today: Day): Promise<(KvRecord | undefined)[]> {
    const known = items.map(({ id }) => {
      const record = this.#cache.get(id);
      return record !== undefined && record.openDay >= today ? record : undefined;
    });
    const missing = items.map(({ id }) => id).filter((_, index) => known[index] === undefined);
    if (missing.length === 0) return known;
    const read = await Promise.all((await readRecords(this.place, missing)).map((record) => {
      return withYears(this.place, record, LAST_DAY);
    }));
    const next = read.values();
    return known.map((record) => record ?? next.next().value);
  }

  /** Carries out changes of one kind. Returns their results, in the order of the items. */
  async change<Item extends Identified, Read extends KvRecord, Result>(
    items: readonly Item[],
    verb: Verb<Item, Read, Result>,
  ): Promise<(Result | Problem)[]> {
    this.checkPresent();
    const endTime = performance.now() + CONFLICT_LIMIT_MS;
    return await this.inTurn(() => this.#attempt(items, verb, endTime));
  }

  /** Runs a step after all steps before it, or at once if other processes write as well. */
  inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    if (this.place.isShared) return step();
    const done = this.#lastTurn.then(async () => {
      if (this.#isUncertain) await this.#loadJournal();
      return await step();
    });
    this.#lastTurn = done.catch(() => {});
    return done;
  }

  /** Folds the journal, unless the disk takes too long, and closes the database. Call this once. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#foldEndTime = performance.now() + JOURNAL_CLOSE_MS;
    await this.#folding;
    await this.#foldJournal();
    (this.#options.file ?? this.place.kv).close();
  }

  async #attempt<Item extends Identified, Read extends KvRecord, Result>(
    items: readonly Item[],
    verb: Verb<Item, Read, Result>,
    endTime: number,
  ): Promise<(Result | Problem)[]> {
    const today = this.#options.calendar.today();
    const records = await verb.read(items, today).catch((cause) => this.unavailable(cause));
    const changes = items.map((item, index) => {
      const record = records[index];
      if (record === undefined) throw new TypeError("A counter of this batch was not read");
      return { item, record, plan: verb.plan(item, record, today) };
    });
    const commit = async (part: readonly Change<Item, Result>[]) => {
      if (await this.#commit(part)) return part.map(({ plan }) => plan.result);
      await this.#pause(endTime);
      return await this.#attempt(part.map(({ item }) => item), verb, endTime);
    };
    const parts = cutIntoCommits(changes, this.place);
    if (parts.length === 1) return await commit(changes);
    // A part that fails says nothing about the others.
    const results = await Promise.all(parts.map((part) => {
      return commit(part).catch((error) => part.map(() => asProblem(error)));
    }));
    return results.flat();
  }

  /** Stores what changes write in one commit. Returns false on a conflict. */
  async #commit(changes: readonly Change[]): Promise<boolean> {
    const writing = changes.filter(({ plan }) => plan.writes !== undefined);
    if (writing.length === 0) return true;
    const { health } = this.#options;
    const { kv, keys } = this.place;
    const operation = kv.atomic();
    const journaled = this.#journal.write(operation, writing);
    const direct = writing.filter((change) => !journaled.has(change));
    addToCommit(operation, direct, { keys, lifetimes: this.#lifetimes() });
    if (journaled.size > 0) this.#foldWhenIdle();
    try {
      const ids = writing.map(({ item }) => item.id);
      const isStored = await this.#carryOut(operation, ids, (versionstamp) => {
        this.#journal.confirm(journaled, versionstamp);
        for (const change of journaled) this.#rememberChange(change, change.record.versionstamp);
        for (const change of direct) this.#rememberChange(change, versionstamp);
      });
      if (isStored) health.healthy();
      if (this.#journal.isFull) this.#foldJournal();
      return isStored;
    } catch (error) {
      const problem = asProblem(error);
      health.unwritable(problem.cause);
      throw problem;
    }
  }

  /**
   * Carries out a commit, calls `onStored`, and moves the high-water mark. Returns false on a
   * conflict. Unless it returns true, the counters are forgotten.
   */
  async #carryOut(
    operation: Deno.AtomicOperation,
    ids: readonly CounterId[],
    onStored: (versionstamp: string) => void,
  ): Promise<boolean> {
    this.#begun++;
    this.#inFlight++;
    let isStored = false;
    try {
      const versionstamp = await this.#commitOperation(operation);
      if (versionstamp === null) return false;
      onStored(versionstamp);
      await this.#options.file?.confirm(versionstamp);
      return isStored = true;
    } catch (error) {
      if (asProblem(error).kind === "outcome-unknown") this.#isUncertain = !this.place.isShared;
      throw error;
    } finally {
      this.#inFlight--;
      if (!isStored) { for (const id of ids) this.#cache.delete(id); }
    }
  }

  #rememberChange({ record, plan: { writes } }: Change, versionstamp: string | null): void {
    const { id } = record;
    const openDay = writes?.history?.ledger?.openDay ?? record.openDay;
    if (writes?.total === undefined) this.#cache.delete(id);
    else this.#remember({ id, total: writes.total, exists: true, openDay, versionstamp });
  }

  #remember(record: KvRecord): void {
    if (!this.place.isShared) this.#cache.set(record.id, record);
  }

  #lifetimes(): Lifetimes {
    if (!this.place.isShared) return { keys: {}, visitors: {} };
    // Idempotency keys are searched in two buckets of a day.
    const visitors = { expireIn: this.#options.calendar.msUntilMidnight() };
    return { keys: { expireIn: 2 * DAY_MS }, visitors };
  }

  async #pause(endTime: number): Promise<void> {
    if (performance.now() > endTime) {
      this.unavailable(new Error("Too many conflicts with other writers"));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * CONFLICT_PAUSE_MS));
  }

  async #loadJournal(): Promise<void> {
    await this.#journal.load().catch((cause) => this.unavailable(cause));
    this.#isUncertain = false;
  }

  /** Folds the journal once many counters are no longer hit at once. */
  #foldWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#foldEndTime < Infinity) return;
    this.#idleTimer = setTimeout(() => this.#foldJournal(), JOURNAL_IDLE_MS);
  }

  /**
   * Moves the totals in the journal to their entries, unless that is in progress. Tries again
   * later if it fails.
   */
  #foldJournal(): Promise<void> {
    return this.#folding ??= this.#fold()
      .catch(() => this.#foldWhenIdle())
      .finally(() => this.#folding = undefined);
  }

  async #fold(): Promise<void> {
    const steps = this.#journal.fold();
    const takeStep = async () => {
      const { value, done } = await steps.next();
      if (done) return false;
      return await this.#carryOut(value.operation, value.ids, (versionstamp) => {
        this.#journal.forget(value.ids);
        for (const id of value.ids) {
          const record = this.#cache.get(id);
          if (record !== undefined) this.#remember({ ...record, versionstamp });
        }
      });
    };
    while (await this.inTurn(takeStep)) {
      if (performance.now() > this.#foldEndTime) return;
    }
  }
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
