import type { DatabaseSync } from "node:sqlite";
import { errorMessage, StartError } from "../../../start_error.ts";
import { folderOf } from "./file_lock.ts";

/** Size up to which a whole file is checked, in bytes. 16 MiB (200,000 counters) take 50 ms. */
const MAX_CHECKED_BYTES = 16 * 2 ** 20;
/** The tables that Deno KV reads when it opens a file. They do not grow with the counters. */
const KV_TABLES = ["migration_state", "data_version", "queue", "queue_running"];
/** SQLite's messages about a damaged file and about another kind of file. */
const DAMAGE = /malformed|not a database/;

/** Returns what `read` returns, or undefined if the file does not exist. */
export function ifPresent<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Throws if a path is a symbolic link: SQLite keeps its log next to the target, where no lock is.
 */
export function refuseLink(path: string): void {
  if (!ifPresent(() => Deno.lstatSync(path))?.isSymlink) return;
  throw new StartError(
    `${path} is a symbolic link: name its target in STORE_URL, or link the whole folder instead`,
  );
}

/** Throws if a file is mounted without its folder: its log would be lost with the container. */
export function refuseMount(path: string): void {
  if (Deno.statSync(path).dev === Deno.statSync(folderOf(path)).dev) return;
  throw new StartError(
    `${path} is mounted as a single file, without the files that SQLite keeps next to it: mount its whole folder instead`,
  );
}

/**
 * Throws a {@linkcode StartError} if a counter file is missing or empty although `lastCommit` says
 * that there was a commit.
 */
export function refuseMissing(path: string, lastCommit: string | undefined): void {
  if (lastCommit === undefined || sizeOf(path) > 0) return;
  throw new StartError(
    `${path} has held counters and is missing or empty: restore it from a backup, or delete ${path}.held to start from zero`,
  );
}

/**
 * Returns the versionstamp of the last commit in a counter file, or undefined if there is none.
 *
 * Throws a {@linkcode StartError} if the file is damaged, or older than `lastCommit`. Deno KV opens
 * a file without its log silently, and ends the process on a damaged one.
 */
export async function checkKvFile(path: string, lastCommit?: string): Promise<string | undefined> {
  if (sizeOf(path) === 0) return undefined;
  const { DatabaseSync } = await import("node:sqlite");
  let found: string | undefined;
  try {
    // If a process was killed while it created the file, SQLite has to write to it before it can
    // read it: it rolls the transaction back (sqlite.org/lockingv3.html, "hot journals").
    const readOnly = sizeOf(`${path}-journal`) === 0;
    using database = new DatabaseSync(path, { readOnly });
    const isSmall = sizeOf(path) <= MAX_CHECKED_BYTES;
    for (const table of isSmall ? [""] : KV_TABLES.map((name) => `("${name}")`)) {
      const check = database.prepare(`PRAGMA quick_check${table}`).get()?.quick_check;
      if (check !== "ok") throw damaged(path);
    }
    found = lastVersionstamp(database);
  } catch (error) {
    throw DAMAGE.test(errorMessage(error)) ? damaged(path) : error;
  }
  if (lastCommit === undefined || (found !== undefined && found >= lastCommit)) return found;
  throw new StartError(
    `${path} holds less than it has held: it is an older copy, or the log next to it was lost or damaged. Put ` +
      `${path}-wal back or restore both from a backup, or delete ${path}.held to continue with what is left`,
  );
}

/**
 * Throws SQLite's reason if it cannot write to the file, because Deno KV would end the process
 * then. Closing the only connection also moves the log into the file.
 */
export async function requireWritable(path: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  using database = new DatabaseSync(path);
  database.prepare("BEGIN IMMEDIATE").run();
  database.prepare("ROLLBACK").run();
}

/** Time for which others may keep the log from the file when it is closed, in milliseconds. */
const FOLD_MS = 500;

/**
 * Moves SQLite's log into a file that was closed. Deno KV does so only if no other process has the
 * file open. Returns false if another process reads what was there before.
 */
export async function foldLog(path: string): Promise<boolean> {
  if (sizeOf(`${path}-wal`) === 0) return true;
  try {
    const { DatabaseSync } = await import("node:sqlite");
    using database = new DatabaseSync(path, { timeout: FOLD_MS });
    const found = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    // -1 if there is no log.
    return found?.log === found?.checkpointed;
  } catch {
    return false;
  }
}

/** Advice by the reason of SQLite or the system. The first pattern that matches counts. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/locked|busy/i, "close the other program that has it open"],
  [/full|no space|disk i\/o/i, "make room on its disk, and check the disk"],
  [
    /read-?only|permission|unable to open/i,
    "let the user who runs this process read and write it, the files next to it (-wal, -shm, .lock and .held) and their folder",
  ],
  [/directory/i, "name a file in STORE_URL whose folder can be created"],
];

/** Returns the error for a sound file that cannot be opened, with advice. */
export function toStartError(path: string, cause: unknown): StartError {
  const reason = errorMessage(cause);
  if (/denied/i.test(reason)) {
    const folder = folderOf(path);
    const message =
      `The folder ${folder} of the counters cannot be used (${reason}): create it, and make it that of the user who runs the server, as with chown -R ${userId()} ${folder}`;
    return new StartError(message, { cause });
  }
  const remedy = REMEDIES.find(([pattern]) => pattern.test(reason))?.[1];
  const advice = remedy === undefined ? "" : `: ${remedy}`;
  const message = `${path} cannot be opened as a counter file (${reason})${advice}`;
  return new StartError(message, { cause });
}

/** Returns the id of the user of this process. It needs `--allow-sys=uid`. */
function userId(): number | string {
  try {
    return Deno.uid() ?? "USER";
  } catch {
    return "USER";
  }
}

/**
 * Returns the last versionstamp, which Deno KV derives from the number in this table. Returns
 * undefined if the database lacks the table.
 */
function lastVersionstamp(database: DatabaseSync): string | undefined {
  const table = "SELECT 1 FROM sqlite_schema WHERE name = 'data_version'";
  if (database.prepare(table).get() === undefined) return undefined;
  const version = database.prepare("SELECT version FROM data_version").get()?.version;
  return version ? `${version.toString(16).padStart(16, "0")}0000` : undefined;
}

function damaged(path: string): StartError {
  return new StartError(
    `${path} is damaged or not a counter file: restore it from a backup, or move it away and delete ${path}.held to start from zero`,
  );
}

function sizeOf(path: string): number {
  return ifPresent(() => Deno.statSync(path))?.size ?? 0;
}
