import type { DatabaseSync } from "node:sqlite";
import { StartError } from "../../../problem.ts";

/** Up to this many bytes (about 200,000 counters) all of a file is checked, so that a start takes at most 50 ms longer. */
const WHOLE_CHECK_LIMIT = 16 * 2 ** 20;
/** The tables that Deno KV reads when it opens a file; they do not grow with the counters. */
const KV_TABLES = ["migration_state", "data_version", "queue", "queue_running"];
/** SQLite's codes for a damaged file, and for one that is not a database (sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);
/**
 * Where SQLite's index of its log holds how much of the log a checkpoint has copied into the file and how much it was going
 * to copy (`nBackfill` and `nBackfillAttempted`, sqlite.org/walformat.html, section 2.2): places of 32-bit words in the
 * byte order of the machine.
 */
const [COPIED, TO_COPY] = [24, 32];

/** Throws a {@linkcode StartError} if a counter file is missing or empty although there was a commit to it. */
export function refuseMissing(path: string, known: string | undefined): void {
  if (known === undefined || sizeOf(path) > 0) return;
  throw new StartError(
    `${path} has held counters and is missing or empty: restore it from a backup, or delete ${path}.held to start from zero`,
  );
}

/**
 * The versionstamp of the last commit in a counter file; undefined if there is none yet.
 *
 * Throws a {@linkcode StartError} if the file is damaged, or holds less than the high-water mark that is `known`: Deno KV
 * opens a file that was cut off or lost its log without an error, and ends the process on a damaged one. The log is not
 * checked itself: pages behind the last commit that SQLite finds there are what failed commits leave behind.
 */
export async function checkKvFile(path: string, known?: string): Promise<string | undefined> {
  if (sizeOf(`${path}-journal`) > 0) await rollBack(path);
  const size = sizeOf(path);
  if (size === 0) {
    refuseMissing(path, known);
    return undefined;
  }
  if (sizeOf(`${path}-wal`) === 0) {
    // Only a part of the lost log is in the file then. Without a mark, its owner chose to go on with what is left.
    if (known !== undefined && wasCheckpointing(path)) throw holdsLess(path);
    if (size < expectedSize(path)) throw damaged(path, "is cut off");
  }
  const last = await lastCommit(path, size);
  if (known === undefined || (last !== undefined && last >= known)) return last;
  throw holdsLess(path);
}

/**
 * Throws SQLite's reason if it cannot write to the file, as Deno KV would end the process then. Closing the only connection
 * moves all of the log into the file.
 */
export async function requireWritable(path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  using database = new DatabaseSync(path);
  database.prepare("BEGIN IMMEDIATE").run();
  database.prepare("ROLLBACK").run();
}

/** What to do if SQLite or the system says this; the first that fits. */
const REMEDIES: readonly (readonly [RegExp, (path: string) => string])[] = [
  [/locked|busy/i, () => "close the other program that has it open"],
  [/full|no space|disk i\/o/i, () => "make room on its disk, and check the disk"],
  [
    /read-?only|permission|denied|unable to open/i,
    (path) =>
      `let the user who runs this process read and write it, the files next to it (${path}-wal, -shm, .lock and .held) and their folder`,
  ],
  [/directory/i, () => "name a file in STORE_URL whose folder can be created"],
];

/** Why a counter file cannot be used that is not known to be damaged, and what to do about it: its counts are all there. */
export function explainFailure(path: string, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const remedy = REMEDIES.find(([pattern]) => pattern.test(reason))?.[1](path);
  return new StartError(
    `${path} cannot be opened as a counter file (${reason})${
      remedy === undefined ? "" : `: ${remedy}`
    }`,
    { cause },
  );
}

/**
 * Has SQLite undo the transaction in which a process was killed while it made the file. Until then it keeps what was there
 * before in a rollback journal instead of a log (sqlite.org/lockingv3.html, "hot journals"), and has to write to the file
 * before it can even be read.
 */
async function rollBack(path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  try {
    using database = new DatabaseSync(path);
    database.prepare("SELECT 1 FROM sqlite_schema").get();
  } catch (error) {
    throw isDamage(error) ? damaged(path) : error;
  }
}

/** Asks SQLite whether the file is sound ("quick_check", sqlite.org/pragma.html), and for its last commit. */
async function lastCommit(path: string, size: number): Promise<string | undefined> {
  const { DatabaseSync } = await import("node:sqlite");
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const tables = size <= WHOLE_CHECK_LIMIT ? [""] : KV_TABLES.map((name) => `("${name}")`);
    for (const table of tables) {
      const found = database.prepare(`PRAGMA quick_check${table}`).get()?.quick_check;
      if (found !== "ok") throw damaged(path);
    }
    return versionstampIn(database);
  } catch (error) {
    throw isDamage(error) ? damaged(path) : error;
  }
}

/** Deno KV derives the versionstamp of a commit from the number in this table; another kind of database has none. */
function versionstampIn(database: DatabaseSync): string | undefined {
  const table = "SELECT 1 FROM sqlite_schema WHERE name = 'data_version'";
  if (database.prepare(table).get() === undefined) return undefined;
  const version = database.prepare("SELECT version FROM data_version").get()?.version;
  return version ? `${version.toString(16).padStart(16, "0")}0000` : undefined;
}

function holdsLess(path: string): StartError {
  return new StartError(
    `${path} holds less than it has held: it is an older copy, or the log next to it was lost or damaged. Put ` +
      `${path}-wal back or restore both from a backup, or delete ${path}.held to continue with what is left`,
  );
}

/** Whether the process that had the file open was killed in the middle of a checkpoint. */
function wasCheckpointing(path: string): boolean {
  if (sizeOf(`${path}-shm`) === 0) return false;
  const words = new Uint32Array(TO_COPY + 1);
  using index = Deno.openSync(`${path}-shm`, { read: true });
  index.readSync(new Uint8Array(words.buffer));
  return (words[TO_COPY] ?? 0) > (words[COPIED] ?? 0);
}

function isDamage(error: unknown): boolean {
  // The lower eight bits are the code, the rest says more about it.
  return error instanceof Error && "errcode" in error && DAMAGED.has(Number(error.errcode) & 0xff);
}

function damaged(path: string, how = "is damaged or not a counter file"): StartError {
  return new StartError(
    `${path} ${how}: restore it from a backup, or move it away and delete ${path}.held to start from zero`,
  );
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** Bytes in the pages that the header of an SQLite file counts (sqlite.org/fileformat.html, section 1.3); 0 for other files. */
function expectedSize(path: string): number {
  using file = Deno.openSync(path, { read: true });
  const bytes = new Uint8Array(100);
  file.readSync(bytes);
  if (!new TextDecoder().decode(bytes).startsWith("SQLite format 3\0")) return 0;
  const header = new DataView(bytes.buffer);
  const pageSize = header.getUint16(16);
  return (pageSize === 1 ? 65536 : pageSize) * header.getUint32(28);
}
