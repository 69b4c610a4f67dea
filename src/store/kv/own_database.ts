import type { CounterId } from "../../counter/counter_id.ts";
import { Recent } from "../../recent.ts";
import { createOpenDays } from "../open_days.ts";
import { Journal, type JournalLimits } from "./journal.ts";
import { journaledRecord } from "./journal_rows.ts";
import type { KvDatabase } from "./kv_database.ts";
import type { KvFile } from "./file/kv_file.ts";
import { CHECKS_PER_COMMIT } from "./kv_limits.ts";
import { type KvPlace, type KvRecord, type Question, readRecords } from "./kv_records.ts";
import { OwnCommits } from "./own_commits.ts";
import type { Plan } from "./plan.ts";
import { noteOpenDay, readOpen } from "./kv_open_days.ts";

/** How many records are kept for sure. */
const KEPT = 10_000;

/** Options of {@linkcode openOwnDatabase}. */
export interface OwnDatabaseOptions extends KvPlace {
  /** The file that holds the database; undefined for one in memory. */
  file?: KvFile;
  /** Smaller ones than a service has show in a test what a journal does. */
  journalLimits?: JournalLimits;
}

/** Opens a database that nobody else writes to: what this process wrote or read last is what it holds, so that is kept. */
export async function openOwnDatabase(
  { file, journalLimits, ...place }: OwnDatabaseOptions,
): Promise<KvDatabase> {
  const journal = await Journal.open(place, journalLimits);
  const commits = new OwnCommits({ place, journal, file, onMoved: keepStamp, onDoubt: drop });
  const kept = new Recent<CounterId, KvRecord>(KEPT);
  /** Of many more than are kept. */
  const openDays = createOpenDays();

  async function read(questions: readonly Question[], ask = readRecords): Promise<KvRecord[]> {
    // Before the entries: a total that moves meanwhile is gone from here, but then its entry is newer.
    const journaled = questions.map(({ id }) => journal.get(id));
    const since = commits.isWriting ? undefined : commits.begun;
    const found = await readOpen(place, { ask, openDays, questions });
    const records = found.map((record, index) => journaledRecord(record, journaled[index]));
    // What was read while a commit was under way may be what was there before it.
    if (since === commits.begun) keepRead(questions, records);
    return records;
  }

  /** Without the ledgers, which take more memory than all the rest; what is known of the open day stays known. */
  function keepRead(questions: readonly Question[], records: readonly KvRecord[]): void {
    records.forEach(({ outcome, versionstamp, openDay }, index) => {
      const question = questions[index];
      if (question === undefined) return;
      const { id, withLedger } = question;
      if (withLedger || kept.get(id)?.versionstamp !== versionstamp) {
        keep(id, { outcome, versionstamp, openDay });
      }
    });
  }

  async function commit(plans: readonly Plan[]): Promise<boolean> {
    const records = await commits.carryOut(plans).catch((problem) => {
      forget(plans);
      throw problem;
    });
    if (records === undefined) {
      forget(plans);
      return false;
    }
    plans.forEach((plan, index) => {
      const record = records[index];
      if (record === undefined) return;
      keep(plan.change.id, record);
      noteOpenDay(openDays, plan, record);
    });
    return true;
  }

  /** Keeps counters; not those that nobody ever hit, which would push out those that count. */
  function keep(id: CounterId, record: KvRecord): void {
    if (typeof record.outcome === "number" && record.versionstamp !== null) kept.set(id, record);
    else kept.delete(id);
  }

  function forget(plans: readonly Plan[]): void {
    for (const { change: { id } } of plans) {
      kept.delete(id);
      openDays.delete(id);
    }
  }

  function drop(ids: readonly CounterId[]): void {
    for (const id of ids) kept.delete(id);
  }

  function keepStamp(ids: readonly CounterId[], versionstamp: string | null): void {
    for (const id of ids) {
      const record = kept.get(id);
      if (record !== undefined) kept.set(id, { ...record, versionstamp });
    }
  }

  return {
    ...place,
    isShared: false,
    checksPerCommit: CHECKS_PER_COMMIT,
    checkPresent: () => file?.checkPresent(),
    known: (id) => kept.get(id),
    isOpen: (id, day) => (openDays.get(id) ?? -Infinity) >= day,
    isWriting: () => commits.isWriting,
    read,
    inTurn: (step) => commits.inTurn(step),
    commit,
    withJournal: (id, record) => journaledRecord(record, journal.get(id)),
    async close() {
      await commits.end();
      await (file?.close() ?? place.kv.close());
    },
  };
}
