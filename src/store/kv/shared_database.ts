import type { Calendar } from "../../counter/calendar.ts";
import { Problem } from "../../problem.ts";
import { commitOf, recordAfter } from "./commit.ts";
import { type KvDatabase, OpenDays } from "./database.ts";
import { OWN } from "./layout.ts";
import { CHECKS_PER_COMMIT, CHECKS_PER_COMMIT_SELF_HOSTED } from "./limits.ts";
import type { Plan } from "./planner.ts";
import { type KvPlace, readRecords } from "./records.ts";

/** How long the database keeps deduplication keys: as long as they are looked for. */
const KEY_LIFETIME = { expireIn: 172_800_000 };
/** How long the database keeps a writer's mark: far longer than a commit can be on its way. */
const MARK_LIFETIME_MS = 3_600_000;

/** How Deno reports that the server refused a commit as too large, and wrote nothing of it. */
const REFUSED = /\(status=400\b/;

/** Tells whether a commit was carried out: its number is written with it. No two commits that are under way share a mark. */
interface WriterMark {
  readonly key: Deno.KvKey;
  /** The number of the commit that has the mark now. */
  commit: number;
}

/** A database that others write to as well: totals are read each time. */
export function createSharedDatabase(
  { calendar, ...place }: KvPlace & { calendar: Calendar },
): KvDatabase {
  const { kv } = place;
  const freeMarks: WriterMark[] = [];
  const openDays = new OpenDays();
  let checksPerCommit = CHECKS_PER_COMMIT;

  async function commit(plans: readonly Plan[]): Promise<boolean> {
    const versionstamp = await commitMarked(
      commitOf(plans, {
        ...place,
        keyLifetime: KEY_LIFETIME,
        visitorLifetime: () => ({ expireIn: calendar.msUntilMidnight() }),
      }),
    ).catch((problem) => {
      if (problem.status !== 503 || plans.length <= CHECKS_PER_COMMIT_SELF_HOSTED) throw problem;
      checksPerCommit = CHECKS_PER_COMMIT_SELF_HOSTED;
      return null;
    });
    for (const plan of plans) {
      if (versionstamp === null) openDays.forget(plan.id);
      else openDays.remember(plan, recordAfter(plan, versionstamp));
    }
    return versionstamp !== null;
  }

  async function commitMarked(operation: Deno.AtomicOperation): Promise<string | null> {
    const mark = freeMarks.pop() ?? { key: [OWN, "writer", crypto.randomUUID()], commit: 0 };
    operation.set(mark.key, ++mark.commit, { expireIn: MARK_LIFETIME_MS });
    const versionstamp = await outcomeOf(operation, mark);
    // A mark whose commit may still arrive is never used again: it would be set back to an earlier number.
    freeMarks.push(mark);
    return versionstamp;
  }

  async function outcomeOf(
    operation: Deno.AtomicOperation,
    mark: WriterMark,
  ): Promise<string | null> {
    try {
      const result = await operation.commit();
      // A commit whose answer was lost is sent again by Deno and then conflicts with itself.
      return result.ok ? result.versionstamp : await stampOf(mark);
    } catch (cause) {
      if (REFUSED.test(String(cause))) throw new Problem("store-unavailable", { cause });
      const versionstamp = await stampOf(mark).catch(() => null);
      if (versionstamp !== null) return versionstamp;
      throw new Problem("outcome-unknown", { cause });
    }
  }

  /** The versionstamp of the commit that has the mark, if it was carried out; null otherwise. */
  async function stampOf({ key, commit }: WriterMark): Promise<string | null> {
    const { value, versionstamp } = await kv.get(key);
    return value === commit ? versionstamp : null;
  }

  return {
    ...place,
    isShared: true,
    get checksPerCommit() {
      return checksPerCommit;
    },
    checkPresent() {},
    known: () => undefined,
    lastSeen: () => undefined,
    isOpen: (id, day) => openDays.isOpen(id, day),
    // Reads slow down writes only on a disk of one's own.
    isWriting: () => false,
    read: (queries, read = readRecords) => openDays.read(place, queries, read),
    serialize: (step) => step(),
    commit,
    eraseSalts: () => Promise.resolve(true),
    withJournal: (_id, record) => record,
    close: () => Promise.resolve(kv.close()),
  };
}
