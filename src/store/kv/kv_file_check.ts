import type { DatabaseSync } from "node:sqlite";
import { StartError } from "../../start_error.ts";

/** Up to this many bytes (about 200,000 counters) a file is checked whole, so that a start takes at most 50 ms longer. */
const WHOLE_CHECK_LIMIT = 16 * 2 ** 20;
/** The tables of Deno KV that it reads when it opens a file; they do not grow with the counters. */
const KV_TABLES = ["migration_state", "data_version", "queue", "queue_running"];
/** SQLite's codes for a damaged file, and for one that is none of its own (sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);
/**
 * Where SQLite's index of its log, in the machine's own order of bytes, tells how much of the log is in the file and how
 * much of it was to be brought there (sqlite.org/walformat.html, section 2.2), as places of 32-bit words.
 */
const [BROUGHT, TO_BRING] = [24, 32];

/** Throws a {@linkcode StartError} where a counter file is missing or empty although a commit of it is known. */
export function refuseMissing(path: string, known: string | undefined): void {
  if (known === undefined || sizeOf(path) > 0) return;
  throw new StartError(
    `${path} has held counters and is missing or empty: restore it from a backup, or delete ${path}.held to begin anew`,
  );
}

/**
 * The versionstamp of the last commit in a counter file; undefined where there is none yet.
 *
 * Throws a {@linkcode StartError} where the file is damaged or holds less than the commit that is `known`: Deno KV opens
 * a cut-off file without a word, and one that lost its log, and ends the process on a damaged one. What is in the log
 * behind the last commit that SQLite finds there is no sign of damage: commits that failed leave their pages behind.
 */
export async function checkKvFile(path: string, known?: string): Promise<string | undefined> {
  if (sizeOf(`${path}-journal`) > 0) await rollBack(path);
  const size = sizeOf(path);
  if (size === 0) {
    refuseMissing(path, known);
    return undefined;
  }
  // Of what was being brought into the file when its log got lost it holds a part; who deleted the note goes on with that.
  if (known !== undefined && sizeOf(`${path}-wal`) === 0 && wasBeingSaved(path)) {
    throw holdsLess(path);
  }
  if (sizeOf(`${path}-wal`) === 0 && size < expectedSize(path)) throw damaged(path, "is cut off");
  const last = await lastCommit(path, size);
  if (known === undefined || (last !== undefined && last >= known)) return last;
  throw holdsLess(path);
}

/** Throws SQLite's reason where it cannot write, as Deno KV ends the process then; saves what the log holds. */
export async function refuseReadOnly(path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  using database = new DatabaseSync(path);
  database.prepare("BEGIN IMMEDIATE").run();
  database.prepare("ROLLBACK").run();
}

/**
 * Has SQLite undo a transaction that a process was killed in: while it makes a file it keeps no log yet but what was there
 * before (sqlite.org/lockingv3.html, "hot journals"), and cannot even read the file without writing to it.
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

/** The versionstamp of a commit is the number that this table of Deno KV holds after it; others may have another form. */
function versionstampIn(database: DatabaseSync): string | undefined {
  const table = "SELECT 1 FROM sqlite_schema WHERE name = 'data_version'";
  if (database.prepare(table).get() === undefined) return undefined;
  const version = database.prepare("SELECT version FROM data_version").get()?.version;
  return version ? `${version.toString(16).padStart(16, "0")}0000` : undefined;
}

function holdsLess(path: string): StartError {
  return new StartError(
    `${path} holds less than it has held: it is an older copy, or the log beside it was lost or damaged. Put ` +
      `${path}-wal back or restore both from a backup, or delete ${path}.held to go on with what is left`,
  );
}

/** Whether SQLite was bringing its log into a file when the process that had it open was killed. */
function wasBeingSaved(path: string): boolean {
  if (sizeOf(`${path}-shm`) === 0) return false;
  const words = new Uint32Array(TO_BRING + 1);
  using index = Deno.openSync(`${path}-shm`, { read: true });
  index.readSync(new Uint8Array(words.buffer));
  return (words[TO_BRING] ?? 0) > (words[BROUGHT] ?? 0);
}

function isDamage(error: unknown): boolean {
  // The lower eight bits are the code, the rest says more about it.
  return error instanceof Error && "errcode" in error && DAMAGED.has(Number(error.errcode) & 0xff);
}

function damaged(path: string, how = "is damaged or not a counter file"): StartError {
  return new StartError(
    `${path} ${how}: restore it from a backup, or move it away and delete ${path}.held to begin anew`,
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
