import { Problem } from "../../problem.ts";
import { type KvPlace, readKeys } from "./kv_records.ts";
import { takesAsNew } from "./newcomers.ts";
import type { Plan } from "./plan.ts";

/** What SQLite says where it wrote no commit; elsewhere the next crash may still bring to light what it wrote. */
const SURELY_REFUSED = /database or disk is full|database is locked|read-?only/i;

/** A commit that failed. */
export interface FailedCommit {
  readonly plans: readonly Plan[];
  /** The row of the journal that went with them. */
  readonly row: Deno.KvKey | undefined;
  readonly cause: unknown;
}

/**
 * The versionstamp of a commit that failed where it was carried out all the same, or else the problem that it is:
 * "store-unavailable" where surely nothing was written, "outcome-unknown" otherwise.
 */
export async function lookFor(
  { plans, row, cause }: FailedCommit,
  { kv, keys }: KvPlace,
): Promise<string | Problem> {
  // A row is written last, so that it tells of all the rest.
  const written = row !== undefined
    ? [{ key: row, before: null }]
    : plans.map(({ change: { id }, before }) => {
      return { key: keys.total(id), before: before.versionstamp };
    });
  const after = await readKeys(kv, written.map(({ key }) => key)).catch(() => undefined);
  const changed = after?.filter(({ versionstamp }, index) => {
    return versionstamp !== written[index]?.before;
  });
  const stamps = new Set(changed?.flatMap(({ versionstamp }) => versionstamp ?? []));
  const [versionstamp] = stamps;
  const isWhole = changed?.length === written.length && stamps.size === 1;
  // What was taken to be new may have been there all the time.
  if (versionstamp && isWhole && !plans.some(takesAsNew)) return versionstamp;
  const surely = changed?.length === 0 && SURELY_REFUSED.test(String(cause));
  return new Problem(surely ? "store-unavailable" : "outcome-unknown", { cause });
}
