import type { CounterId } from "../../counter/counter_id.ts";
import type { Day } from "../../counter/days.ts";
import { Problem } from "../../problem.ts";
import { BoundedMap } from "../../bounded_map.ts";
import { commitOf, recordAfter } from "./commit.ts";
import { type KvDatabase, OpenDays } from "./database.ts";
import type { CounterFile } from "./file/counter_file.ts";
import { Journal, type JournalLimits, withJournalTotal } from "./journal.ts";
import { type KvKeys, saltRange } from "./layout.ts";
import { CHECKS_PER_COMMIT, JOURNAL_QUIET_MS } from "./limits.ts";
import { assumesAbsent, type Plan } from "./planner.ts";
import { type KvPlace, type KvRecord, readKeys, readRecords, type RecordQuery } from "./records.ts";

/** How many counters' last numbers are kept for sure, with what a hit has to know of them. */
const CACHED_RECORDS = 10_000;
/** How long emptying the journal may delay the end, in milliseconds. */
const CLOSE_LIMIT_MS = 1000;
/** What SQLite says if it wrote nothing of a commit; after any other error a crash may still complete the commit. */
const NOTHING_WRITTEN = /database or disk is full|database is locked|read-?only/i;

export interface OwnDatabaseOptions extends KvPlace {
  /** The file that holds the database; undefined for one in memory. */
  file?: CounterFile | undefined;
  /** For tests, in which a journal is to fill up soon. */
  journalLimits?: JournalLimits | undefined;
}

/**
 * Opens a database that nobody else writes to. It holds what this process wrote or read last, so that records are cached,
 * and hits on many counters are written to a journal first.
 */
export async function openOwnDatabase(
  { file, journalLimits, ...place }: OwnDatabaseOptions,
): Promise<KvDatabase> {
  return new OwnDatabase(place, { file, journal: await Journal.open(place, journalLimits) });
}

/** A commit that failed. */
interface FailedCommit {
  readonly plans: readonly Plan[];
  /** The row of the journal that was written with it. */
  readonly row: Deno.KvKey | undefined;
  readonly cause: unknown;
}

class OwnDatabase implements KvDatabase {
  readonly isShared = false;
  readonly checksPerCommit = CHECKS_PER_COMMIT;
  readonly kv: Deno.Kv;
  readonly keys: KvKeys;
  readonly onDamaged: (id: string) => void;
  readonly #file: CounterFile | undefined;
  readonly #journal: Journal;
  readonly #records = new BoundedMap<CounterId, KvRecord>(CACHED_RECORDS);
  readonly #openDays = new OpenDays();
  /** How many commits have begun. */
  #commits = 0;
  #isCommitting = false;
  /** Whether the journal has to be read again, because it is not known what became of a commit. */
  #isUncertain = false;
  #last: Promise<unknown> = Promise.resolve();
  /** How many commits of many counters went to the journal. */
  #largeCommits = 0;
  #quietTimer: ReturnType<typeof setTimeout> | undefined;
  /** From when on the journal is left as it is, by `performance.now()`. */
  #giveUpAt = Infinity;

  constructor(
    { kv, keys, onDamaged }: KvPlace,
    { file, journal }: { file: CounterFile | undefined; journal: Journal },
  ) {
    this.kv = kv;
    this.keys = keys;
    this.onDamaged = onDamaged;
    this.#file = file;
    this.#journal = journal;
    if (!journal.isEmpty) this.#emptyWhenQuiet();
  }

  checkPresent(): void {
    this.#file?.checkPresent();
  }

  known(id: CounterId): KvRecord | undefined {
    const record = this.#records.get(id);
    return record?.versionstamp === null ? undefined : record;
  }

  lastSeen(id: CounterId): number | undefined {
    const outcome = this.#records.get(id)?.outcome;
    return typeof outcome === "number" ? outcome : undefined;
  }

  isOpen(id: CounterId, day: Day): boolean {
    return this.#openDays.isOpen(id, day);
  }

  isWriting(): boolean {
    return this.#isCommitting || this.#isUncertain;
  }

  async read(queries: readonly RecordQuery[], read = readRecords): Promise<KvRecord[]> {
    // Before the entries: a total may leave the journal meanwhile, but its entry is newer then.
    const journaled = queries.map(({ id }) => this.#journal.get(id));
    const commits = this.isWriting() ? undefined : this.#commits;
    const found = await this.#openDays.read(this, queries, read);
    const records = found.map((record, index) => withJournalTotal(record, journaled[index]));
    // What was read during a commit may be from before it, so that it is only the number seen last.
    const isSure = commits === this.#commits;
    queries.forEach(({ id, withLedger }, index) => {
      const record = records[index];
      if (record === undefined) return;
      const known = this.known(id);
      if (!isSure) {
        if (known === undefined) this.#cache(id, { ...record, versionstamp: null });
      } else if (withLedger || known?.versionstamp !== record.versionstamp) {
        // The same record without its ledger would replace an open day that is known.
        this.#cache(id, record);
      }
    });
    return records;
  }

  serialize<Value>(step: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(() => this.#isUncertain ? this.#recover().then(step) : step());
    this.#last = done.catch(() => {});
    return done;
  }

  async commit(plans: readonly Plan[]): Promise<boolean> {
    const journal = this.#journal;
    // In its turn, so that it delays no answer to these plans; if it fails, it is tried again after the next commit.
    if (journal.needsCheckpoint) this.serialize(() => this.#checkpointIfNeeded()).catch(() => {});
    const journaled = journal.choose(plans);
    const direct = journaled.size === 0 ? plans : plans.filter((plan) => !journaled.has(plan));
    const operation = commitOf(direct, this);
    const row = journaled.size === 0 ? undefined : journal.write(operation, journaled);
    if (row !== undefined) this.#emptyWhenQuiet();
    if (journal.isMany(journaled.size)) this.#largeCommits++;
    this.#beginCommit();
    try {
      const versionstamp = await committed(operation)
        .catch((cause) => this.#outcomeOf({ plans, row, cause }));
      if (versionstamp === null) {
        this.#forget(plans);
        return false;
      }
      journal.written(journaled, versionstamp);
      for (const { id } of direct) journal.forget(id);
      // Hot path: no promise here but for the first commit.
      const confirmed = this.#confirm(versionstamp);
      if (confirmed !== undefined) await confirmed;
      for (const plan of plans) {
        const stamp = journaled.has(plan) ? plan.before.versionstamp : versionstamp;
        const record = recordAfter(plan, stamp);
        this.#records.set(plan.id, record);
        this.#openDays.remember(plan, record);
      }
      return true;
    } catch (problem) {
      this.#forget(plans);
      throw problem;
    } finally {
      this.#isCommitting = false;
    }
  }

  eraseSalts(before: Day): Promise<boolean> {
    return this.serialize(async () => await this.#file?.erase(saltRange(before)) ?? true);
  }

  withJournal(id: CounterId, record: KvRecord): KvRecord {
    return withJournalTotal(record, this.#journal.get(id));
  }

  /** Empties the journal first, unless the disk takes too long: the next start finds what is left in it. */
  async close(): Promise<void> {
    this.#giveUpAt = performance.now() + CLOSE_LIMIT_MS;
    clearTimeout(this.#quietTimer);
    await this.#emptyJournal().catch(() => {});
    await (this.#file?.close() ?? this.kv.close());
  }

  /** Without a versionstamp a record only holds the number that was seen last: nothing is added to it without a read. */
  #cache(id: CounterId, { outcome, versionstamp, openDay }: KvRecord): void {
    if (typeof outcome !== "number") return this.#doubt(id);
    // Without the ledger, which would take most of the memory.
    this.#records.set(id, { outcome, versionstamp, openDay });
  }

  #doubt(id: CounterId): void {
    const record = this.known(id);
    if (record !== undefined) this.#records.set(id, { ...record, versionstamp: null });
  }

  #forget(plans: readonly Plan[]): void {
    for (const { id } of plans) {
      this.#doubt(id);
      this.#openDays.forget(id);
    }
  }

  #beginCommit(): void {
    this.#commits++;
    this.#isCommitting = true;
  }

  #confirm(versionstamp: string): Promise<void> | undefined {
    try {
      return this.#file?.confirm(versionstamp);
    } catch (cause) {
      // The file went away during the commit: the hits are in it, wherever it is.
      throw new Problem("outcome-unknown", { cause });
    }
  }

  /** The versionstamp of a commit that failed but was carried out; otherwise throws its problem. */
  async #outcomeOf({ plans, row, cause }: FailedCommit): Promise<string> {
    // A row is written last, so that it is there only if all the rest is.
    const written = row !== undefined
      ? [{ key: row, before: null }]
      : plans.map(({ id, before }) => {
        return { key: this.keys.total(id), before: before.versionstamp };
      });
    const after = await readKeys(this.kv, written.map(({ key }) => key)).catch(() => undefined);
    const changed = after?.filter(({ versionstamp }, index) => {
      return versionstamp !== written[index]?.before;
    });
    const stamps = new Set(changed?.flatMap(({ versionstamp }) => versionstamp ?? []));
    const [versionstamp] = stamps;
    const isWhole = changed?.length === written.length && stamps.size === 1;
    // What was assumed to be absent may have been there before.
    if (versionstamp && isWhole && !plans.some(assumesAbsent)) return versionstamp;
    const isRefused = changed?.length === 0 && NOTHING_WRITTEN.test(String(cause));
    if (isRefused) throw new Problem("store-unavailable", { cause });
    this.#isUncertain = true;
    throw new Problem("outcome-unknown", { cause });
  }

  async #recover(): Promise<void> {
    try {
      await this.#journal.read();
    } catch (cause) {
      throw new Problem("store-unavailable", { cause });
    }
    this.#isUncertain = false;
  }

  /** Once few counters are hit at once again, the journal is emptied, so that other programs find the numbers. */
  #emptyWhenQuiet(): void {
    if (this.#giveUpAt < Infinity) return;
    const before = this.#largeCommits;
    this.#quietTimer ??= setTimeout(async () => {
      if (before === this.#largeCommits) await this.#emptyJournal().catch(() => {});
      this.#quietTimer = undefined;
      if (!this.#journal.isEmpty) this.#emptyWhenQuiet();
    }, JOURNAL_QUIET_MS);
  }

  /** Moves all totals that are in the journal now, as long as time is left. */
  async #emptyJournal(): Promise<void> {
    const { next } = this.#journal;
    while (this.#journal.first < next && performance.now() < this.#giveUpAt) {
      await this.serialize(() => this.#checkpoint());
    }
  }

  async #checkpointIfNeeded(): Promise<void> {
    if (this.#journal.needsCheckpoint) await this.#checkpoint();
  }

  /** Moves some totals from the journal to their entries. */
  async #checkpoint(): Promise<void> {
    if (this.#journal.isEmpty) return;
    const operation = this.kv.atomic();
    const { ids, done } = this.#journal.checkpoint(operation);
    this.#beginCommit();
    try {
      const versionstamp = await committed(operation).catch((cause) => {
        for (const id of ids) this.#doubt(id);
        throw cause;
      });
      done();
      for (const id of ids) {
        const record = this.known(id);
        if (record !== undefined) this.#records.set(id, { ...record, versionstamp });
      }
      if (versionstamp !== null) await this.#confirm(versionstamp);
    } finally {
      this.#isCommitting = false;
    }
  }
}

/** The versionstamp of a commit; null if one of its checks failed. */
async function committed(operation: Deno.AtomicOperation): Promise<string | null> {
  const result = await operation.commit();
  return result.ok ? result.versionstamp : null;
}
