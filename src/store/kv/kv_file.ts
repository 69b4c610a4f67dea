import { refuseDamage } from "./kv_file_check.ts";
import { StartError } from "../../start_error.ts";

/** A Deno KV file that this process owns. */
export interface KvFile {
  readonly kv: Deno.Kv;
  /** Throws where the file is no longer the one that was opened; it is looked for at most every 100 ms. */
  checkPresent(): void;
  /** To be called after a commit: looks for the file in any case, and notes beside it that it holds counters. */
  confirm(): void;
  /** Gives the file up. */
  close(): void;
}

/** What the lock file says once the file beside it has held counters. */
const HELD = "This counter file has held counts.\n";

/** How often the file is looked for where nothing was written, in milliseconds: a look costs as much as a read. */
const LOOK_INTERVAL = 100;

/**
 * Opens a Deno KV file, and makes it and its folder where there are none; nobody else may open it until it is closed.
 *
 * Throws a {@linkcode StartError} where another process owns it, where it is damaged, and where it is missing or empty
 * although it has held counters.
 */
export async function openKvFile(path: string): Promise<KvFile> {
  let lock: Deno.FsFile | undefined;
  try {
    Deno.mkdirSync(folderOf(path), { recursive: true });
    refuseLink(path);
    lock = lockFor(path);
    const held = readAll(lock) === HELD;
    await refuseDamage(path, held);
    const kv = await Deno.openKv(path);
    return own({ kv, path, lock, held });
  } catch (error) {
    lock?.close();
    if (error instanceof StartError || error instanceof Deno.errors.NotCapable) throw error;
    throw new StartError(
      `${path} cannot be opened as a counter file (${
        messageOf(error)
      }): restore it from a backup, or move it away to begin anew`,
      { cause: error },
    );
  }
}

/** The folder that a file lies in; written out because `node:path` takes longer to load than a start may. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ".";
}

interface Opened {
  kv: Deno.Kv;
  path: string;
  lock: Deno.FsFile;
  held: boolean;
}

function own({ kv, path, lock, held }: Opened): KvFile {
  const opened = Deno.statSync(path);
  let seen = performance.now();

  function look(): void {
    // Where it is not found now, it is looked for again next time.
    seen = -Infinity;
    const found = Deno.statSync(path);
    if (found.ino !== opened.ino || found.dev !== opened.dev) {
      throw new Error(`${path} is not the file that was opened: start again`);
    }
    seen = performance.now();
  }

  return {
    kv,
    checkPresent() {
      if (performance.now() - seen >= LOOK_INTERVAL) look();
    },
    confirm() {
      look();
      if (!held) held = note(lock);
    },
    close: () => lock.close(),
  };
}

/** Writes down that the file beside the lock has held counters; false where that failed, as it may on a full disk. */
function note(lock: Deno.FsFile): boolean {
  try {
    lock.seekSync(0, Deno.SeekMode.Start);
    lock.writeSync(new TextEncoder().encode(HELD));
    lock.syncSync();
    return true;
  } catch {
    // The counters are stored all the same, and whoever waits for them must be told so; the next commit tries again.
    return false;
  }
}

/** SQLite follows a link to a file and keeps its log there, but the lock would be here: one file could have two owners. */
function refuseLink(path: string): void {
  if (!isLink(path)) return;
  throw new StartError(
    `${path} is a symbolic link: name the file that it leads to in STORE_URL, or make a link of its whole folder`,
  );
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

/** The lock is a file of its own: SQLite has locks on the database, and lets two processes write in turn. */
function lockFor(path: string): Deno.FsFile {
  const lock = Deno.openSync(`${path}.lock`, { create: true, read: true, write: true });
  if (lock.tryLockSync(true)) return lock;
  lock.close();
  throw new StartError(
    `${path} is in use by another process: stop it first, or give this one a file of its own in STORE_URL`,
  );
}

function readAll(file: Deno.FsFile): string {
  const bytes = new Uint8Array(HELD.length + 1);
  const length = file.readSync(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, length));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
