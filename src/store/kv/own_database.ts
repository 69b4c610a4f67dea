import type { CounterId } from "../../counter/counter_id.ts";
import { Problem } from "../../problem.ts";
import { Recent } from "../../recent.ts";
import { createOpenDays } from "../open_days.ts";
import { commitOf, recordAfter } from "./commit_of.ts";
import type { KvDatabase } from "./kv_database.ts";
import type { KvFile } from "./kv_file.ts";
import { type KvPlace, type KvRecord, type Question, readRecords } from "./kv_records.ts";
import { takesAsNew } from "./newcomers.ts";
import type { Plan } from "./plan.ts";
import { noteOpenDay, readOpen } from "./kv_open_days.ts";

/** How many records are kept for sure. */
const KEPT = 10_000;
/** What SQLite says where it wrote no commit; elsewhere the next crash may still bring to light what it wrote. */
const SURELY_REFUSED = /database or disk is full|database is locked|read-?only/i;

/** Options of {@linkcode createOwnDatabase}. */
export interface OwnDatabaseOptions extends KvPlace {
  /** The file that holds the database; undefined for one in memory. */
  file?: KvFile;
}

/** A database that nobody else writes to: what this process wrote or read last is what it holds, so that is kept. */
export function createOwnDatabase({ kv, keys, file }: OwnDatabaseOptions): KvDatabase {
  const place = { kv, keys };
  const kept = new Recent<CounterId, KvRecord>(KEPT);
  /** Of many more than are kept. */
  const openDays = createOpenDays();
  /** How many commits have begun, and how many of them are under way. */
  let [begun, underWay] = [0, 0];

  async function read(questions: readonly Question[], ask = readRecords): Promise<KvRecord[]> {
    const since = underWay === 0 ? begun : undefined;
    const records = await readOpen(place, { ask, openDays, questions });
    // What was read while a commit was under way may be what was there before it.
    if (since === begun) keepRead(questions, records);
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
    const versionstamp = await carriedOut(commitOf(plans, place))
      .catch((cause) => found(plans, cause));
    if (versionstamp === null) forget(plans);
    else confirm(plans, versionstamp);
    return versionstamp !== null;
  }

  async function carriedOut(operation: Deno.AtomicOperation): Promise<string | null> {
    begun++;
    underWay++;
    try {
      const result = await operation.commit();
      return result.ok ? result.versionstamp : null;
    } finally {
      underWay--;
    }
  }

  /** The versionstamp of a commit that failed and was carried out all the same. */
  async function found(plans: readonly Plan[], cause: unknown): Promise<string> {
    forget(plans);
    const after = await read(plans.map(({ change: { id } }) => ({ id, withLedger: false })))
      .catch(() => undefined);
    const changed = after?.filter(({ versionstamp }, index) => {
      return versionstamp !== plans[index]?.before.versionstamp;
    });
    const written = changed?.find(({ versionstamp }) => versionstamp !== null);
    // What was taken to be new may have been there all the time.
    if (written?.versionstamp && !plans.some(takesAsNew)) return written.versionstamp;
    const surely = changed?.length === 0 && SURELY_REFUSED.test(String(cause));
    throw new Problem(surely ? "store-unavailable" : "outcome-unknown", { cause });
  }

  function confirm(plans: readonly Plan[], versionstamp: string): void {
    try {
      file?.confirm(versionstamp);
    } catch (cause) {
      // The file went away just now: the hits are in it, wherever it is.
      forget(plans);
      throw new Problem("outcome-unknown", { cause });
    }
    for (const plan of plans) {
      const record = recordAfter(plan, versionstamp);
      keep(plan.change.id, record);
      noteOpenDay(openDays, plan, record);
    }
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

  return {
    ...place,
    // Entries that expire and a disk that is full end the process.
    marksExpire: false,
    checkPresent: () => file?.checkPresent(),
    known: (id) => kept.get(id),
    isOpen: (id, day) => (openDays.get(id) ?? -Infinity) >= day,
    isWriting: () => underWay > 0,
    read,
    commit,
    close: () => file?.close() ?? Promise.resolve(kv.close()),
  };
}
