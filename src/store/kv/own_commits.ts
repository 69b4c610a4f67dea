import type { CounterId } from "../../counter/counter_id.ts";
import { Problem } from "../../problem.ts";
import { commitOf, recordAfter } from "./commit_of.ts";
import { type FailedCommit, lookFor } from "./failed_commit.ts";
import type { Journal } from "./journal.ts";
import type { KvFile } from "./file/kv_file.ts";
import type { KvPlace, KvRecord } from "./kv_records.ts";
import type { Plan } from "./plan.ts";

/** How long no commit of many counters comes before the journal is emptied, in milliseconds. */
const QUIET_MS = 1000;

/** How long emptying the journal may hold up the end, in milliseconds. */
const END_LIMIT_MS = 1000;

/** Options of {@linkcode OwnCommits}. */
export interface OwnCommitsOptions {
  place: KvPlace;
  journal: Journal;
  /** The file that holds the database; undefined for one in memory. */
  file: KvFile | undefined;
  /** To be told whose totals moved from the journal to their entries, which have this versionstamp now. */
  onMoved(ids: readonly CounterId[], versionstamp: string | null): void;
  /** To be told whose entries may have been written, or not. */
  onDoubt(ids: readonly CounterId[]): void;
}

/** Commits to a database that nobody else writes to, one at a time, with the journal that many hits go to first. */
export class OwnCommits {
  readonly #options: OwnCommitsOptions;
  #begun = 0;
  #isWriting = false;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether it is not sure what the journal holds. */
  #isDoubtful = false;
  /** How many commits of many counters went to the journal. */
  #large = 0;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  /** When the journal is left as it is, by `performance.now()`. */
  #giveUp = Infinity;

  constructor(options: OwnCommitsOptions) {
    this.#options = options;
    if (!options.journal.isEmpty) this.#watchForQuiet();
  }

  /** How many commits have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Whether one is under way, or what became of one has to be found out before the next. */
  get isWriting(): boolean {
    return this.#isWriting || this.#isDoubtful;
  }

  /** See {@linkcode KvDatabase.inTurn}. */
  inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(() => this.#isDoubtful ? this.#readAgain().then(step) : step());
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Carries out plans in one commit; the records after it, in their order, or undefined where somebody else wrote in
   * between. Rejects as {@linkcode KvDatabase.commit} does.
   */
  async carryOut(plans: readonly Plan[]): Promise<readonly KvRecord[] | undefined> {
    const { place, journal } = this.#options;
    // In its turn, so that nobody waits for it who is answered now; what fails is tried again after the next commit.
    if (journal.isDue) this.inTurn(() => this.#moveIfDue()).catch(() => {});
    const journaled = journal.choose(plans);
    const direct = journaled.size === 0 ? plans : plans.filter((plan) => !journaled.has(plan));
    const operation = commitOf(direct, place);
    const row = journaled.size === 0 ? undefined : journal.write(operation, journaled);
    if (row !== undefined) this.#watchForQuiet();
    if (journal.isMany(journaled.size)) this.#large++;
    return await this.#writing(async () => {
      const versionstamp = await committed(operation)
        .catch((cause) => this.#found({ plans, row, cause }));
      if (versionstamp === null) return undefined;
      journal.written(journaled, versionstamp);
      for (const { change: { id } } of direct) journal.forget(id);
      const confirmed = this.#confirm(versionstamp);
      if (confirmed !== undefined) await confirmed;
      return plans.map((plan) => {
        return recordAfter(plan, journaled.has(plan) ? plan.before.versionstamp : versionstamp);
      });
    });
  }

  /** Empties the journal for good, unless the disk takes too long for it: what stays in it is found by the next start. */
  async end(): Promise<void> {
    this.#giveUp = performance.now() + END_LIMIT_MS;
    clearTimeout(this.#quiet);
    await this.#emptyJournal().catch(() => {});
  }

  /** Moves all that stands in the journal now, as long as time is left. */
  async #emptyJournal(): Promise<void> {
    const { journal } = this.#options;
    const { next } = journal;
    while (journal.first < next && performance.now() < this.#giveUp) {
      await this.inTurn(() => this.#move());
    }
  }

  /** From before a commit until all is known of what it wrote. */
  async #writing<Value>(write: () => Promise<Value>): Promise<Value> {
    this.#begun++;
    this.#isWriting = true;
    try {
      return await write();
    } finally {
      this.#isWriting = false;
    }
  }

  #confirm(versionstamp: string): Promise<void> | undefined {
    try {
      return this.#options.file?.confirm(versionstamp);
    } catch (cause) {
      // The file went away just now: the hits are in it, wherever it is.
      throw new Problem("outcome-unknown", { cause });
    }
  }

  /** The versionstamp of a commit that failed and was carried out all the same. */
  async #found(failed: FailedCommit): Promise<string> {
    const found = await lookFor(failed, this.#options.place);
    if (typeof found === "string") return found;
    if (found.status === 504) this.#isDoubtful = true;
    throw found;
  }

  async #readAgain(): Promise<void> {
    try {
      await this.#options.journal.read();
    } catch (cause) {
      throw new Problem("store-unavailable", { cause });
    }
    this.#isDoubtful = false;
  }

  /** Once few counters are hit at once again, nothing shall stand in the journal: other programs find the numbers then. */
  #watchForQuiet(): void {
    if (this.#giveUp < Infinity) return;
    const large = this.#large;
    this.#quiet ??= setTimeout(async () => {
      if (large === this.#large) await this.#emptyJournal().catch(() => {});
      this.#quiet = undefined;
      if (!this.#options.journal.isEmpty) this.#watchForQuiet();
    }, QUIET_MS);
  }

  async #moveIfDue(): Promise<void> {
    if (this.#options.journal.isDue) await this.#move();
  }

  async #move(): Promise<void> {
    const { place, journal, onMoved, onDoubt } = this.#options;
    if (journal.isEmpty) return;
    const operation = place.kv.atomic();
    const { ids, done } = journal.move(operation);
    await this.#writing(async () => {
      const versionstamp = await committed(operation).catch((cause) => {
        onDoubt(ids);
        throw cause;
      });
      done();
      onMoved(ids, versionstamp);
      if (versionstamp !== null) await this.#confirm(versionstamp);
    });
  }
}

/** The versionstamp of a commit; null where one of its checks did not hold. */
async function committed(operation: Deno.AtomicOperation): Promise<string | null> {
  const result = await operation.commit();
  return result.ok ? result.versionstamp : null;
}
