import type { CounterId } from "../../counter/counter_id.ts";
import { Problem } from "../../problem.ts";
import { commitOf, recordAfter } from "./commit_of.ts";
import type { Journal } from "./journal.ts";
import type { KvFile } from "./kv_file.ts";
import { type KvPlace, type KvRecord, readKeys } from "./kv_records.ts";
import { takesAsNew } from "./newcomers.ts";
import type { Plan } from "./plan.ts";

/** What SQLite says where it wrote no commit; elsewhere the next crash may still bring to light what it wrote. */
const SURELY_REFUSED = /database or disk is full|database is locked|read-?only/i;

/** How long nothing is written before the journal is emptied, in milliseconds. */
const QUIET_MS = 1000;

/** Options of {@linkcode OwnCommits}. */
export interface OwnCommitsOptions {
  place: KvPlace;
  journal: Journal;
  /** The file that holds the database; undefined for one in memory. */
  file: KvFile | undefined;
  /** To be told whose totals the journal brought to their entries, which have this versionstamp now. */
  onEntries(ids: readonly CounterId[], versionstamp: string | null): void;
}

/** Commits to a database that nobody else writes to, one at a time, with the journal that many hits go to first. */
export class OwnCommits {
  readonly #options: OwnCommitsOptions;
  #begun = 0;
  #isWriting = false;
  #last: Promise<unknown> = Promise.resolve();
  /** How many want nothing to go to the journal. */
  #readers = 0;
  #quiet: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OwnCommitsOptions) {
    this.#options = options;
    const { first, next } = options.journal;
    if (first < next) this.#watchForQuiet();
  }

  /** How many commits have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Whether one is under way. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** See {@linkcode KvDatabase.inTurn}. */
  inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Carries out plans in one commit; the records after it, in their order, or undefined where somebody else wrote in
   * between. Rejects as {@linkcode KvDatabase.commit} does.
   */
  async carryOut(plans: readonly Plan[]): Promise<readonly KvRecord[] | undefined> {
    const { place, journal, file } = this.#options;
    // In its turn, so that nobody waits for it who is answered now; what fails is tried again after the next commit.
    if (journal.isFull) this.inTurn(() => this.#leaveJournal()).catch(() => {});
    const journaled = this.#readers > 0 ? NONE : journal.choose(plans);
    const direct = journaled.size === 0 ? plans : plans.filter((plan) => !journaled.has(plan));
    const operation = commitOf(direct, place);
    const row = journaled.size === 0 ? undefined : journal.write(operation, journaled);
    const versionstamp = await this.#commit(operation)
      .catch((cause) => this.#found({ plans, row, cause }));
    if (versionstamp === null) return undefined;
    journal.written(journaled, versionstamp);
    if (journaled.size > 0) this.#watchForQuiet();
    for (const { change: { id } } of direct) journal.forget(id);
    try {
      file?.confirm(versionstamp);
    } catch (cause) {
      // The file went away just now: the hits are in it, wherever it is.
      throw new Problem("outcome-unknown", { cause });
    }
    return plans.map((plan) => {
      return recordAfter(plan, journaled.has(plan) ? plan.before.versionstamp : versionstamp);
    });
  }

  /** Brings all that stands in the journal now to the entries. */
  async emptyJournal(): Promise<void> {
    const { journal } = this.#options;
    const { next } = journal;
    while (journal.first < next) await this.inTurn(() => this.#leaveJournal());
  }

  /** Empties the journal for good. */
  async end(): Promise<void> {
    clearTimeout(this.#quiet);
    // What stays in it is found again by the next start.
    await this.emptyJournal().catch(() => {});
  }

  /** See {@linkcode KvDatabase.withoutJournal}. */
  async withoutJournal(): Promise<Disposable> {
    using stack = new DisposableStack();
    this.#readers++;
    stack.defer(() => this.#readers--);
    await this.emptyJournal();
    return stack.move();
  }

  async #commit(operation: Deno.AtomicOperation): Promise<string | null> {
    this.#begun++;
    this.#isWriting = true;
    try {
      const result = await operation.commit();
      return result.ok ? result.versionstamp : null;
    } finally {
      this.#isWriting = false;
    }
  }

  /** The versionstamp of a commit that failed and was carried out all the same. */
  async #found({ plans, row, cause }: Failed): Promise<string> {
    const { kv, keys } = this.#options.place;
    const written = row !== undefined
      ? [{ key: row, before: null }]
      : plans.map(({ change: { id }, before }) => {
        return { key: keys.total(id), before: before.versionstamp };
      });
    const after = await readKeys(kv, written.map(({ key }) => key)).catch(() => undefined);
    const changed = after?.filter(({ versionstamp }, index) => {
      return versionstamp !== written[index]?.before;
    });
    const versionstamp = changed?.find(({ versionstamp }) => versionstamp !== null)?.versionstamp;
    // What was taken to be new may have been there all the time.
    if (versionstamp && !plans.some(takesAsNew)) return versionstamp;
    const surely = changed?.length === 0 && SURELY_REFUSED.test(String(cause));
    throw new Problem(surely ? "store-unavailable" : "outcome-unknown", { cause });
  }

  /** Once nothing is written for a while, nothing shall stand in the journal: who opens the file then finds all in place. */
  #watchForQuiet(): void {
    const begun = this.#begun;
    this.#quiet ??= setTimeout(() => {
      this.#quiet = undefined;
      if (begun === this.#begun) this.emptyJournal().catch(() => {});
      else this.#watchForQuiet();
    }, QUIET_MS);
  }

  async #leaveJournal(): Promise<void> {
    const { place, journal, file, onEntries } = this.#options;
    if (journal.first === journal.next) return;
    const operation = place.kv.atomic();
    const { ids, done } = journal.leave(operation);
    const versionstamp = await this.#commit(operation);
    done();
    onEntries(ids, versionstamp);
    if (versionstamp !== null) file?.confirm(versionstamp);
  }
}

const NONE: ReadonlySet<Plan> = new Set();

interface Failed {
  plans: readonly Plan[];
  /** The row of the journal that went with them. */
  row: Deno.KvKey | undefined;
  cause: unknown;
}
