import { Problem } from "../../problem.ts";
import { createOpenDays } from "../open_days.ts";
import { commitOf, recordAfter } from "./commit_of.ts";
import type { KvDatabase } from "./kv_database.ts";
import { OWN } from "./kv_keys.ts";
import { type KvPlace, readRecords } from "./kv_records.ts";
import type { Plan } from "./plan.ts";
import { noteOpenDay, readOpen } from "./kv_open_days.ts";

/** How long the database keeps what makes hits the same: as long as somebody looks for it. */
const MARK_OF_HIT_LIFETIME = { expireIn: 172_800_000 };
/** How long the database keeps a writer's mark: far longer than a commit can be on its way. */
const MARK_LIFETIME_MS = 3_600_000;

/** A database that others write to as well: totals are asked for each time. */
export function createSharedDatabase(place: KvPlace): KvDatabase {
  const { kv } = place;
  const markKey = [OWN, "writer", crypto.randomUUID()];
  const openDays = createOpenDays();
  let commits = 0;

  async function commit(plans: readonly Plan[]): Promise<boolean> {
    const operation = commitOf(plans, { ...place, markLifetime: MARK_OF_HIT_LIFETIME });
    operation.set(markKey, ++commits, { expireIn: MARK_LIFETIME_MS });
    const versionstamp = await carriedOut(operation);
    for (const plan of plans) {
      if (versionstamp === null) openDays.delete(plan.change.id);
      else noteOpenDay(openDays, plan, recordAfter(plan, versionstamp));
    }
    return versionstamp !== null;
  }

  async function carriedOut(operation: Deno.AtomicOperation): Promise<string | null> {
    try {
      const result = await operation.commit();
      // A commit whose answer was lost is sent again by Deno and then conflicts with itself.
      return result.ok ? result.versionstamp : await ownCommit();
    } catch (cause) {
      const versionstamp = await ownCommit().catch(() => null);
      if (versionstamp !== null) return versionstamp;
      throw new Problem("outcome-unknown", { cause });
    }
  }

  /** The versionstamp of the last commit where its mark is there, so that it was carried out; null otherwise. */
  async function ownCommit(): Promise<string | null> {
    const mark = await kv.get(markKey);
    return mark.value === commits ? mark.versionstamp : null;
  }

  return {
    ...place,
    marksExpire: true,
    checkPresent() {},
    known: () => undefined,
    isOpen: (id, day) => (openDays.get(id) ?? -Infinity) >= day,
    // Elsewhere than on a disk of one's own, reading does not slow down what is written.
    isWriting: () => false,
    read: (questions, ask = readRecords) => readOpen(place, { ask, openDays, questions }),
    inTurn: (step) => step(),
    commit,
    withoutJournal: () => Promise.resolve({ tellsAll: true, [Symbol.dispose]() {} }),
    close: () => Promise.resolve(kv.close()),
  };
}
