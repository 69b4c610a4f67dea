import { BoundedMap } from "../../bounded_map.ts";
import type { Calendar } from "../../counter/calendar.ts";
import type { CounterId } from "../../counter/counter_id.ts";
import { type Day, DAY_MS, LAST_DAY, yearsSince } from "../../counter/days.ts";
import type { HistoryQuery, OnceAddition, Write } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import type { Plan } from "../planner.ts";
import type { StoreHealth } from "../store_health.ts";
import { addToCommit, type Change, Committer, cutIntoCommits, type Lifetimes } from "./commit.ts";
import { type OnceRecord, readOnceRecord } from "./deduplication.ts";
import type { CounterFile } from "./file/counter_file.ts";
import { Journal, type JournalLimits } from "./journal.ts";
import {
  CHECKS_PER_COMMIT,
  CHECKS_PER_COMMIT_SELF_HOSTED,
  JOURNAL_CLOSE_MS,
  JOURNAL_IDLE_MS,
} from "./limits.ts";
import {
  type KvPlace,
  type KvRecord,
  readAllYears,
  readForUpdates,
  readRecords,
  readYears,
} from "./records.ts";

/** Minimum number of counters that are remembered, at some 100 bytes each. */
const CACHE_SIZE = 100_000;
/** Time for which conflicts with other writers are retried, and maximum pause before a retry. */
const CONFLICT_LIMIT_MS = 1500;
const CONFLICT_PAUSE_MS = 20;

type Identified = { readonly id: CounterId };

/** Records in the order of the items. */
type Records<Read> = readonly (Read | undefined)[] | Promise<readonly (Read | undefined)[]>;

/** A kind of change: reads the records of its items, and plans each change from a record. */
export interface Verb<Item extends Identified, Read extends KvRecord, Result> {
  /** True if the changes are hits, whose counters are remembered. */
  readonly isHit: boolean;
  read(items: readonly Item[], today: Day): Records<Read>;
  plan(item: Item, record: Read, today: Day): Plan<Result>;
}

export interface DatabaseOptions extends Omit<KvPlace, "journaled"> {
  /** True if other processes write to the database as well. */
  readonly isShared: boolean;
  /** The file of the database, if it has one. */
  readonly file?: CounterFile | undefined;
  readonly journalLimits?: JournalLimits | undefined;
  readonly health: StoreHealth;
  /** The calendar whose days hits belong to. */
  readonly calendar: Calendar;
}

/**
 * Reads records, and carries out changes: reads, plans and commits, and starts again with those
 * that another process changed in between.
 *
 * In a database of this process alone changes take turns, so that what was written last is certain.
 * Hits on remembered counters then need no read, and hits on many counters go to the journal.
 */
export class Database {
  readonly place: KvPlace;
  readonly isShared: boolean;
  readonly #options: DatabaseOptions;
  readonly #committer: Committer;
  readonly #journal: Journal;
  /**
   * Counters as they were written or read last, without ledgers. Empty if the database is shared.
   */
  readonly #cache = new BoundedMap<CounterId, KvRecord>(CACHE_SIZE);
  #checksPerCommit = CHECKS_PER_COMMIT;
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
    this.isShared = isShared;
    this.#options = options;
    this.#committer = new Committer(kv, isShared);
    this.#journal = new Journal(this.place, journalLimits);
    this.#isUncertain = !isShared;
  }

  /** Opens a database, and folds what a killed process left in its journal. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const database = new Database(options);
    if (options.isShared) return database;
    // The first turn loads the journal. Without it, reads would return old totals.
    await database.inTurn(() => Promise.resolve());
    await database.#foldJournal().catch(() => database.#foldWhenIdle());
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
    const isQuiet = !this.isShared && !this.#isUncertain && this.#inFlight === 0;
    const begun = this.#begun;
    const records = await readRecords(this.place, ids, "total");
    if (!isQuiet || begun !== this.#begun) return records;
    ids.forEach((id, index) => {
      const record = records[index];
      if (record?.exists && this.#cache.get(id) === undefined) this.#cache.set(id, record);
    });
    return records;
  }

  /** Reads records with the closed years from `since` on, each from one instant. */
  async readHistories(queries: readonly HistoryQuery[]): Promise<KvRecord[]> {
    const records = await readRecords(this.place, queries.map(idOf), "report");
    return await Promise.all(each(queries, records, (query, record) => {
      return this.#withHistory(query, record);
    }));
  }

  /** Reads records for hits, except of counters that are known with the day open. */
  readForHits(items: readonly Identified[], today: Day): Records<KvRecord> {
    const known = items.map(({ id }) => {
      const record = this.#cache.get(id);
      return record !== undefined && record.openDay >= today ? record : undefined;
    });
    // Hot path: without a promise.
    return known.includes(undefined) ? this.#readMissing(items, known) : known;
  }

  /** Reads records for hits with deduplication keys, together with those keys. */
  async readForOnce(items: readonly OnceAddition[], today: Day): Promise<OnceRecord[]> {
    return await Promise.all(items.map(async (item) => {
      const record = await readOnceRecord(this.place, item, today);
      return await this.#withYears(record, { id: item.id, since: LAST_DAY });
    }));
  }

  /** Reads records for updates and deletions, with all years. */
  async readForWrites(items: readonly Write[]): Promise<KvRecord[]> {
    const ids = items.map(idOf);
    // A deletion also removes what is left of the days of a counter without a total. A report that
    // is ignored is not committed, so its record has to be from one instant.
    const areSimple = items.every(({ update }) =>
      update !== undefined && update.report === undefined
    );
    const records = areSimple
      ? await readForUpdates(this.place, ids)
      : await readRecords(this.place, ids, "report");
    return await Promise.all(each(items, records, ({ id }, record) => {
      return this.#withYears(record, { id, since: -Infinity });
    }));
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
    if (this.isShared) return step();
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
    await this.#folding?.catch(() => {});
    if (!this.isShared) await this.#foldJournal().catch(() => {});
    (this.#options.file ?? this.place.kv).close();
  }

  async #attempt<Item extends Identified, Read extends KvRecord, Result>(
    items: readonly Item[],
    verb: Verb<Item, Read, Result>,
    endTime: number,
  ): Promise<(Result | Problem)[]> {
    const today = this.#options.calendar.today();
    const read = verb.read(items, today);
    const records = read instanceof Promise
      ? await read.catch((cause) => this.unavailable(cause))
      : read;
    const changes = each(items, records, (item, record) => {
      return { item, record, plan: verb.plan(item, record, today) };
    });
    const commit = async (part: readonly Change<Item, Result>[]) => {
      if (await this.#commit(part, verb.isHit)) return part.map(({ plan }) => plan.result);
      await this.#pause(endTime);
      return await this.#attempt(part.map(({ item }) => item), verb, endTime);
    };
    const parts = cutIntoCommits(changes, {
      checks: this.#checksPerCommit,
      keyBytes: this.place.keys.maxBytes,
    });
    if (parts.length === 1) return await commit(changes);
    // A part that fails says nothing about the others.
    const results = await Promise.all(parts.map((part) => {
      return commit(part).catch((error) => part.map(() => asProblem(error)));
    }));
    return results.flat();
  }

  /** Stores what changes write in one commit. Returns false on a conflict. */
  async #commit(changes: readonly Change[], isHit: boolean): Promise<boolean> {
    const writing = changes.filter(({ plan }) => plan.writes !== undefined);
    if (writing.length === 0) return true;
    const { health } = this.#options;
    const { kv, keys } = this.place;
    const operation = kv.atomic();
    const journaled = this.isShared ? NONE : this.#journal.select(writing);
    const direct = journaled.size === 0 ? writing : writing.filter((one) => !journaled.has(one));
    addToCommit(operation, direct, { keys, lifetimes: this.#lifetimes() });
    const rowStored = journaled.size > 0 ? this.#journal.write(operation, journaled) : undefined;
    if (rowStored !== undefined) this.#foldWhenIdle();
    try {
      const ids = writing.map(({ item }) => item.id);
      const isStored = await this.#carryOut(operation, ids, (stamp) => {
        rowStored?.(stamp);
        for (const change of writing) {
          if (!isHit) this.#cache.delete(change.item.id);
          else this.#remember(change, journaled.has(change) ? change.record.versionstamp : stamp);
        }
      });
      if (isStored) health.healthy();
      if (this.#journal.isFull) this.#foldJournal().catch(() => {});
      return isStored;
    } catch (error) {
      const problem = asProblem(error);
      const isTooLarge = this.isShared && problem.kind === "store-unavailable";
      if (isTooLarge && writing.length > CHECKS_PER_COMMIT_SELF_HOSTED) {
        this.#checksPerCommit = CHECKS_PER_COMMIT_SELF_HOSTED;
        return false;
      }
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
      const versionstamp = await this.#committer.commit(operation);
      if (versionstamp === null) return false;
      onStored(versionstamp);
      await this.#options.file?.confirm(versionstamp);
      return isStored = true;
    } catch (error) {
      if (asProblem(error).kind === "outcome-unknown") this.#isUncertain = !this.isShared;
      throw error;
    } finally {
      this.#inFlight--;
      if (!isStored) { for (const id of ids) this.#cache.delete(id); }
    }
  }

  #remember({ item, record, plan: { writes } }: Change, versionstamp: string | null): void {
    if (this.isShared) return;
    const openDay = writes?.history?.ledger?.openDay ?? record.openDay;
    this.#cache.set(item.id, { total: writes?.total ?? 0, exists: true, openDay, versionstamp });
  }

  #lifetimes(): Lifetimes {
    if (!this.isShared) return { keys: {}, visitors: {} };
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

  async #readMissing(
    items: readonly Identified[],
    known: readonly (KvRecord | undefined)[],
  ): Promise<(KvRecord | undefined)[]> {
    const missing = items.map(idOf).filter((_, index) => known[index] === undefined);
    const read = await readRecords(this.place, missing);
    const whole = await Promise.all(each(missing, read, (id, record) => {
      return this.#withYears(record, { id, since: LAST_DAY });
    }));
    const next = whole.values();
    return known.map((record) => record ?? next.next().value);
  }

  /** Adds the closed years from `since` on, or all that are stored if the ledger is damaged. */
  async #withYears<Read extends KvRecord>(
    record: Read,
    { id, since }: HistoryQuery,
  ): Promise<Read> {
    const { ledger } = record;
    if (ledger === undefined) return record;
    if (ledger === "damaged") return { ...record, years: await readAllYears(this.place, id) };
    const years = yearsSince(ledger, since);
    return years.length === 0
      ? record
      : { ...record, years: await readYears(this.place, { id, years }) };
  }

  /** Closed years change only together with the ledger. If that changes, they are read again. */
  async #withHistory(query: HistoryQuery, record: KvRecord): Promise<KvRecord> {
    const { years, ledgerStamp } = await this.#withYears(record, query);
    if (years === undefined) return record;
    const [after = record] = await readRecords(this.place, [query.id], "report");
    if (after.ledgerStamp !== ledgerStamp) return await this.#withHistory(query, after);
    return { ...after, years };
  }

  async #loadJournal(): Promise<void> {
    await this.#journal.load().catch((cause) => this.unavailable(cause));
    this.#isUncertain = false;
  }

  /** Folds the journal once many counters are no longer hit at once. */
  #foldWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#foldEndTime < Infinity) return;
    this.#idleTimer = setTimeout(() => {
      this.#foldJournal().catch(() => this.#foldWhenIdle());
    }, JOURNAL_IDLE_MS);
  }

  /** Moves the totals in the journal to their entries, unless that is in progress. */
  #foldJournal(): Promise<void> {
    return this.#folding ??= this.#fold().finally(() => this.#folding = undefined);
  }

  async #fold(): Promise<void> {
    const steps = this.#journal.fold();
    const takeStep = async () => {
      const { value, done } = await steps.next();
      if (done) return false;
      return await this.#carryOut(value.operation, value.ids, (versionstamp) => {
        for (const id of value.ids) {
          const record = this.#cache.get(id);
          if (record !== undefined) this.#cache.set(id, { ...record, versionstamp });
        }
      });
    };
    while (await this.inTurn(takeStep)) {
      if (performance.now() > this.#foldEndTime) return;
    }
  }
}

const NONE: ReadonlySet<Change> = new Set();

function each<Item, Read, Result>(
  items: readonly Item[],
  records: readonly (Read | undefined)[],
  result: (item: Item, record: Read) => Result,
): Result[] {
  return items.map((item, index) => {
    const record = records[index];
    if (record === undefined) throw new TypeError("No record was read for a counter in this batch");
    return result(item, record);
  });
}

function idOf({ id }: Identified): CounterId {
  return id;
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
