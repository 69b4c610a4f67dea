import { Problem } from "../../problem.ts";
import type { KvDatabase } from "./kv_database.ts";
import { type KvCounters, readEntries } from "./kv_entries.ts";

/** How long the database keeps a writer's mark: far longer than a commit can be on its way. */
const MARK_LIFETIME_MS = 3_600_000;

/** A database that others write to as well: everything is asked for each time. */
export function createSharedDatabase({ kv, prefix }: KvCounters): KvDatabase {
  const markKey = ["tallymark", "writer", crypto.randomUUID()];
  let commits = 0;

  /** The versionstamp of the last commit where its mark is there, so that it was carried out; null otherwise. */
  async function ownCommit(): Promise<string | null> {
    const mark = await kv.get(markKey);
    return mark.value === commits ? mark.versionstamp : null;
  }

  return {
    kv,
    checkPresent() {},
    known: () => undefined,
    read: (ids) => readEntries({ kv, prefix }, ids),
    async commit(operation) {
      operation.set(markKey, ++commits, { expireIn: MARK_LIFETIME_MS });
      try {
        const result = await operation.commit();
        // A commit whose answer was lost is sent again by Deno and then conflicts with itself.
        return result.ok ? result.versionstamp : await ownCommit();
      } catch (cause) {
        const versionstamp = await ownCommit().catch(() => null);
        if (versionstamp !== null) return versionstamp;
        throw new Problem("outcome-unknown", { cause });
      }
    },
    keep() {},
    close: () => Promise.resolve(kv.close()),
  };
}
