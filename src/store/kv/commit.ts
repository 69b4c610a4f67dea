import { DAY_MS } from "../../domain/history.ts";
import { Failure } from "../../domain/errors.ts";
import type { Writes } from "../../domain/planner.ts";
import { additionKey, dayBucketAt, encodeLedger, encodeYear, INTERNAL } from "./kv_layout.ts";
import type { KvPlace, KvRecord } from "./records.ts";

/** The writes of a counter, and the record that they were planned from. */
export interface Edit {
  readonly record: KvRecord;
  readonly writes: Writes;
}

/** Adds edits to a commit, which fails if one of the counters changes before it. */
export function addToCommit(
  operation: Deno.AtomicOperation,
  edits: Iterable<Edit>,
  { keys, isShared, calendar }: KvPlace,
): void {
  // A local file expires nothing by itself.
  const lasting = (expireIn: number) => isShared ? { expireIn } : {};
  // Idempotency keys are searched in two buckets of a day.
  const forKeys = lasting(2 * DAY_MS);
  for (const { record, writes } of edits) {
    const { id } = record;
    const { total, history, deduplication, name, report = record.report } = writes;
    const time = Date.now();
    const bucket = dayBucketAt(time);
    const key = keys.total(id);
    // The total changes with everything else of a counter, so that this guards all of it.
    operation.check({ key, versionstamp: record.versionstamp });
    // Never `sum`: if one mutation is refused because of its type, Deno KV stores the others.
    if (total !== undefined) operation.set(key, new Deno.KvU64(BigInt(total)));
    else operation.delete(key);
    if (total === undefined && writes.keepsKeys !== true) {
      operation.set(keys.deleted(id, bucket), true, forKeys);
    }
    if (history !== undefined) {
      const { ledger, years, deletedYears } = history;
      if (ledger === undefined) operation.delete(keys.ledger(id));
      else operation.set(keys.ledger(id), encodeLedger(ledger, report));
      for (const entry of years) operation.set(keys.year(id, entry.year), encodeYear(entry));
      for (const year of deletedYears) operation.delete(keys.year(id, year));
    }
    if (name !== undefined) {
      operation.set(keys.idempotencyKey(id, additionKey(name), bucket), [total, time], forKeys);
    }
    if (deduplication !== undefined) {
      for (const [key, hits] of deduplication.keys) {
        operation.set(keys.idempotencyKey(id, key, bucket), [hits, time], forKeys);
      }
      for (const visitor of deduplication.visitors) {
        const key = keys.visitor(visitor, deduplication.day);
        operation.set(key, true, lasting(calendar.msUntilMidnight()));
      }
    }
  }
}

/** Maximum number of checks in one commit. Every counter in it takes one. */
const CHECKS_PER_COMMIT = 100;
/**
 * Maximum number of counters in one commit to a self-hosted server, which accepts 10 checks
 * (denoland/denokv, `proto/limits.rs`). Deno's client does not know the limit. The mark of the
 * writer takes one of them.
 */
const CHECKS_PER_SHARED_COMMIT = 9;

/**
 * Cuts changes into as few commits as the limits of the database allow. The edits of a change are
 * stored in one step.
 */
export function cutIntoCommits<One extends { readonly edits: readonly Edit[] }>(
  changes: readonly One[],
  { isShared, keys }: KvPlace,
): (readonly One[])[] {
  const maxChecks = isShared ? CHECKS_PER_SHARED_COMMIT : CHECKS_PER_COMMIT;
  const commits: One[][] = [];
  let [checks, mutations] = [0, Infinity];
  for (const change of changes) {
    const { edits } = change;
    const added = edits.reduce((sum, { writes }) => sum + countMutations(writes), 0);
    checks += edits.length;
    mutations += added;
    if (checks > maxChecks || mutations > keys.perCommit) {
      commits.push([]);
      [checks, mutations] = [edits.length, added];
    }
    commits.at(-1)?.push(change);
  }
  return commits;
}

/** Returns the number of mutations that {@linkcode addToCommit} adds. */
function countMutations({ total, history, deduplication, name }: Writes): number {
  // A deletion is also recorded.
  let count = (total === undefined ? 2 : 1) + (name === undefined ? 0 : 1);
  if (history !== undefined) count += 1 + history.years.length + history.deletedYears.length;
  if (deduplication !== undefined) count += deduplication.keys.size + deduplication.visitors.size;
  return count;
}

/**
 * Messages of SQLite if it wrote nothing of a commit. After other errors a crash may complete it.
 */
const NOTHING_WRITTEN = /database or disk is full|database is locked|read-?only/i;
/** Deno's message if a server refused a commit as too large, and wrote nothing of it. */
const TOO_LARGE = /\(status=400\b/;
/** Lifetime of a writer's mark, far longer than a commit can be in flight. */
const MARK_LIFETIME_MS = 3_600_000;

/**
 * Carries out a commit. Resolves with its versionstamp, or null if one of its checks failed. Throws
 * `store-unavailable` if nothing was written, `outcome-unknown` otherwise.
 */
export type Commit = (operation: Deno.AtomicOperation) => Promise<string | null>;

/** Carries out a commit to a database of this process alone. */
export async function commitAlone(operation: Deno.AtomicOperation): Promise<string | null> {
  try {
    const result = await operation.commit();
    return result.ok ? result.versionstamp : null;
  } catch (cause) {
    const isRefused = NOTHING_WRITTEN.test(String(cause));
    throw new Failure(isRefused ? "store-unavailable" : "outcome-unknown", { cause });
  }
}

/** The entry of a writer's mark, as this process knows it. */
type Mark = Pick<Deno.KvEntryMaybe<unknown>, "key" | "versionstamp">;

/**
 * Creates the function that carries out commits over a network. Each commit also writes a mark,
 * which tells whether it was carried out if the reply is lost.
 *
 * Deno repeats a commit whose reply was lost. Each commit checks the versionstamp of the mark,
 * because its other checks may pass a second time. A counter that was missing is missing again if
 * another process has deleted it.
 */
export function createSharedCommit(kv: Deno.Kv): Commit {
  /** The marks that no commit in flight uses. */
  const freeMarks: Mark[] = [];

  return async (operation) => {
    const free = freeMarks.pop();
    const { key, versionstamp: before }: Mark = free ??
      { key: [INTERNAL, "writer", crypto.randomUUID()], versionstamp: null };
    const mark = crypto.randomUUID();
    operation.check({ key, versionstamp: before }).set(key, mark, { expireIn: MARK_LIFETIME_MS });
    let found: Pick<Deno.KvEntryMaybe<unknown>, "value" | "versionstamp"> | undefined;
    try {
      const result = await operation.commit();
      // A commit that was repeated conflicts with itself.
      found = result.ok ? { ...result, value: mark } : await kv.get(key);
    } catch (cause) {
      if (TOO_LARGE.test(String(cause))) throw new Failure("store-unavailable", { cause });
      found = await kv.get(key).catch(() => undefined);
      if (found?.value !== mark) throw new Failure("outcome-unknown", { cause });
    }
    const { value, versionstamp } = found;
    // Not after an error: the commit may still arrive, and set the mark back.
    freeMarks.push({ key, versionstamp });
    return value === mark ? versionstamp : null;
  };
}
