import { type CurrentDays, currentDays, isOpenOn } from "../../domain/calendar.ts";
import { BoundedMap } from "../../bounded_map.ts";
import type { CounterId } from "../../domain/counter_id.ts";
import { LAST_DAY } from "../../domain/history.ts";
import { Failure } from "../../domain/errors.ts";
import type { Plan } from "../../domain/planner.ts";
import { pause } from "../../waiting.ts";
import type { StoreHealth } from "../store_health.ts";
import {
  addToCommit,
  type Commit,
  commitAlone,
  createSharedCommit,
  cutIntoCommits,
  type Edit,
} from "./commit.ts";
import type { CounterFile } from "./file/counter_file.ts";
import { Journal, type JournalLimits } from "./journal.ts";
import { INTERNAL, kvKeys } from "./kv_layout.ts";
import { type KvPlace, type KvRecord, readHistories, readTotals } from "./records.ts";

/** Minimum number of counters that are remembered, at some 100 bytes each. */
const CACHE_SIZE = 100_000;
/** Time for which conflicts with other writers are retried, and maximum pause before a retry. */
const CONFLICT_LIMIT_MS = 1500;
const CONFLICT_PAUSE_MS = 20;
/** Minimum interval of the writes that show whether a database accepts writes again. */
const PROBE_INTERVAL_MS = 1000;
/**
 * The value of these writes, which needs more pages of SQLite than the first hit of a day on a new
 * counter. A disk with less room than that accepts no hits.
 */
const PROBE = new Uint8Array(16_384);
/** Maximum time that emptying the journal may delay the end of the process. */
const JOURNAL_CLOSE_MS = 1000;

/** A kind of change: reads the records of its items, and plans each change from a record. */
export interface ChangeKind<Item, Read extends KvRecord, Result> {
  /** True if the changes may go to the journal. */
  readonly isJournaled?: true;
  read(items: readonly Item[], now: CurrentDays): Promise<readonly (Read | undefined)[]>;
  plan(item: Item, record: Read, now: CurrentDays): Plan<Result>;
}

/** The store closes the database. */
export interface DatabaseOptions extends Omit<KvPlace, "journaled" | "keys"> {
  /** The first part of the counters' keys. */
  readonly prefix: string;
  /** The file of the database, if it has one. */
  readonly file?: CounterFile | undefined;
  /** Called if the file lacks counts when it is closed, see {@linkcode CounterFile.close}. */
  readonly onIncomplete?: () => void;
  readonly journalLimits?: JournalLimits | undefined;
  readonly health: StoreHealth;
}

/**
 * Carries out changes: reads records, plans and commits, and starts again with those that another
 * process changed in between.
 *
 * If no other process writes to the database, reads and changes run one after another, so that the
 * last write is known. Hits on remembered counters then need no read, and hits on many counters go
 * to the journal.
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
  /** True if it is unknown which rows are stored, so that the journal has to be loaded. */
  #isUncertain: boolean;
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** The failure of the last commit. Undefined if it succeeded. */
  #failure: Failure | undefined;
  #probedAt = -Infinity;
  #folding: Promise<void> | undefined;
  /** Time until which the journal may be folded, once the database is being closed. */
  #foldEndTime = Infinity;
  readonly #foldEntries: ChangeKind<{ id: CounterId }, KvRecord, void> = {
    read: (items) => this.readForHits(items),
    plan(_, { exists, total }) {
      const isMoved = exists && typeof total === "number";
      return { result: undefined, writes: isMoved ? { total } : undefined };
    },
  };

  constructor(options: DatabaseOptions) {
    const { kv, prefix, isShared, journalLimits } = options;
    const keys = kvKeys(prefix);
    this.place = { ...options, keys, journaled: (id) => this.#journal.totals.get(id) };
    this.#options = options;
    this.#commitOperation = isShared ? createSharedCommit(kv) : commitAlone;
    this.#journal = new Journal(this.place, journalLimits);
    this.#isUncertain = !isShared;
  }

  /**
   * Loads what a killed process left in the journal of a database that is not shared. Before that,
   * reads would return old totals.
   */
  async load(): Promise<void> {
    await this.#journal.load().catch((cause) => this.#unavailable(cause));
    this.#isUncertain = false;
  }

  /**
   * Throws `store-unavailable` if the database does not respond, or if the last commit failed.
   * After a failure, writes an entry of its own at most once a second to see if that has ended.
   */
  async check(): Promise<void> {
    const { kv, keys } = this.place;
    await this.read(() => kv.get(keys.total("home")));
    const now = performance.now();
    if (this.#failure !== undefined && now - this.#probedAt >= PROBE_INTERVAL_MS) {
      this.#probedAt = now;
      await this.inTurn(() => this.#commitOperation(kv.atomic().set([INTERNAL, "probe"], PROBE)))
        .then(
          () => this.#succeed(),
          (error) => this.#failure = asFailure(error),
        );
    }
    const cause = this.#failure;
    if (cause !== undefined) throw new Failure("store-unavailable", { cause });
  }

  /**
   * Carries out a read in its turn. Throws `store-unavailable` if it fails, or if the file has
   * vanished.
   */
  async read<Value>(step: () => Promise<Value>): Promise<Value> {
    this.#checkPresent();
    const value = await this.inTurn(step).catch((cause) => this.#unavailable(cause));
    this.#options.health.readable();
    return value;
  }

  /** Returns the total of a counter, if it is certain without a read. */
  readonly known = (id: CounterId): number | undefined => {
    const total = this.#cache.get(id)?.total;
    const isPresent = this.#options.file?.isPresent() !== false;
    return typeof total === "number" && isPresent ? total : undefined;
  };

  /** Reads totals, and remembers them unless other processes may change them. */
  async readTotals(ids: readonly CounterId[]): Promise<KvRecord[]> {
    const records = await readTotals(this.place, ids);
    const known = this.place.isShared ? [] : records.filter(({ exists }) => exists);
    for (const record of known) {
      if (this.#cache.get(record.id) === undefined) this.#cache.set(record.id, record);
    }
    return records;
  }

  /** Reads records for hits, except of counters that are known and, if given, have the day open. */
  async readForHits(
    items: readonly { readonly id: CounterId }[],
    now?: CurrentDays,
  ): Promise<(KvRecord | undefined)[]> {
    const known = items.map(({ id }) => {
      const record = this.#cache.get(id);
      const isEnough = now === undefined || record && isOpenOn(record.openDay, now);
      return isEnough ? record : undefined;
    });
    const missing = items.map(({ id }) => id).filter((_, index) => known[index] === undefined);
    if (missing.length === 0) return known;
    const queries = missing.map((id) => ({ id, since: LAST_DAY }));
    const next = (await readHistories(this.place, queries)).values();
    return known.map((record) => record ?? next.next().value);
  }

  /**
   * Carries out changes of one kind. Returns their results, in the order of the items. Throws like
   * {@linkcode Commit} if all of them fail together.
   */
  async change<Item, Read extends KvRecord, Result>(
    items: readonly Item[],
    kind: ChangeKind<Item, Read, Result>,
  ): Promise<(Result | Failure)[]> {
    this.#checkPresent();
    const endTime = performance.now() + CONFLICT_LIMIT_MS;
    return await this.inTurn(() => this.#attempt(items, kind, endTime));
  }

  /** Runs a step after all steps before it, or at once if other processes write as well. */
  inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    if (this.place.isShared) return step();
    const done = this.#lastTurn.then(async () => {
      if (this.#isUncertain) await this.load();
      return await step();
    });
    this.#lastTurn = done.catch(() => {});
    return done;
  }

  /** Folds the journal, unless the disk takes too long, and closes the database, once. */
  async close(): Promise<void> {
    this.#foldEndTime = performance.now() + JOURNAL_CLOSE_MS;
    await this.#folding;
    await this.#foldJournal();
    const { file, onIncomplete } = this.#options;
    if (file === undefined) this.place.kv.close();
    else if (!await file.close()) onIncomplete?.();
  }

  async #attempt<Item, Read extends KvRecord, Result>(
    items: readonly Item[],
    kind: ChangeKind<Item, Read, Result>,
    endTime: number,
  ): Promise<(Result | Failure)[]> {
    const now = currentDays(this.place.calendar);
    const records = await kind.read(items, now).catch((cause) => this.#unavailable(cause));
    const changes = items.map((item, index) => {
      const record = records[index];
      if (record === undefined) throw new TypeError("A counter of this batch was not read");
      const { result, writes, gained } = kind.plan(item, record, now);
      const edits = writes === undefined ? [] : [{ record, writes }];
      const { target } = record;
      return gained && target
        ? { item, result, edits: [...edits, { record: target, writes: gained }] }
        : { item, result, edits };
    });
    const commit = async (part: readonly (typeof changes)[number][]) => {
      const edits = part.flatMap(({ edits }) => edits);
      if (await this.#commit(edits, kind)) return part.map(({ result }) => result);
      if (performance.now() > endTime) {
        this.#unavailable(new Error("Too many conflicts with other writers"));
      }
      await pause(Math.random() * CONFLICT_PAUSE_MS);
      return await this.#attempt(part.map(({ item }) => item), kind, endTime);
    };
    const parts = cutIntoCommits(changes, this.place);
    if (parts.length === 1) return await commit(changes);
    // A part that fails says nothing about the others.
    const results = await Promise.all(parts.map((part) => {
      return commit(part).catch((error) => part.map(() => asFailure(error)));
    }));
    return results.flat();
  }

  /** Stores edits in one commit. Returns false on a conflict. */
  async #commit(
    edits: readonly Edit[],
    { isJournaled = false }: { readonly isJournaled?: boolean },
  ): Promise<boolean> {
    if (edits.length === 0) return true;
    const { health, file } = this.#options;
    const operation = this.place.kv.atomic();
    const journaled = isJournaled && !this.place.isShared
      ? this.#journal.write(operation, edits)
      : new Set<Edit>();
    const direct = edits.filter((edit) => !journaled.has(edit));
    addToCommit(operation, direct, this.place);
    let isStored = false;
    try {
      const versionstamp = await this.#commitOperation(operation);
      if (versionstamp === null) return false;
      this.#journal.confirm(journaled, versionstamp);
      for (const edit of journaled) this.#remember(edit, edit.record.versionstamp);
      for (const edit of direct) this.#remember(edit, versionstamp);
      if (file?.isPresent(true) === false) {
        throw new Failure("outcome-unknown", { cause: VANISHED });
      }
      await file?.moveMark(versionstamp);
      isStored = true;
    } catch (error) {
      const failure = asFailure(error);
      if (failure.kind === "outcome-unknown") this.#isUncertain = !this.place.isShared;
      this.#failure = failure;
      health.unwritable(failure.cause);
      throw failure;
    } finally {
      if (!isStored) { for (const { record } of edits) this.#cache.delete(record.id); }
    }
    this.#succeed();
    if (this.#journal.isFull) this.#foldJournal();
    return true;
  }

  #succeed(): void {
    this.#failure = undefined;
    this.#options.health.healthy();
  }

  #remember({ record, writes }: Edit, versionstamp: string | null): void {
    if (this.place.isShared) return;
    const { id } = record;
    const openDay = writes.history?.ledger?.openDay ?? record.openDay;
    if (writes.total === undefined) this.#cache.delete(id);
    else this.#cache.set(id, { id, total: writes.total, exists: true, openDay, versionstamp });
  }

  #checkPresent(): void {
    if (this.#options.file?.isPresent() === false) this.#unavailable(VANISHED);
  }

  /** Reports that the database cannot be used, and throws `store-unavailable`. */
  #unavailable(cause: unknown): never {
    this.#options.health.unreachable(cause);
    throw new Failure("store-unavailable", { cause });
  }

  /** Folds the journal, unless that is in progress. What it leaves after a failure still counts. */
  #foldJournal(): Promise<void> {
    return this.#folding ??= this.#fold()
      .catch(() => {})
      .finally(() => this.#folding = undefined);
  }

  /** Moves the totals in the journal to their entries in steps, between which hits are stored. */
  async #fold(): Promise<void> {
    const journal = this.#journal;
    const { totals, end } = await this.inTurn(() => Promise.resolve(journal.contents()));
    const items = [...totals.keys()].sort().map((id) => ({ id }));
    for (let start = 0; start < items.length; start += journal.limits.atOnce) {
      if (performance.now() > this.#foldEndTime) return;
      const some = items.slice(start, start + journal.limits.atOnce);
      const failure = (await this.change(some, this.#foldEntries)).find((result) => result);
      if (failure) throw failure;
    }
    journal.forget(totals);
    while (await this.inTurn(() => journal.deleteRows(end)));
  }
}

const VANISHED = "the counter file was moved, deleted or replaced: start again";

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
