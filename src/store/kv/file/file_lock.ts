import { StartError } from "../../../problem.ts";

/** What the lock file of an earlier version says once the file beside it has held counters. */
const HELD = "This counter file has held counts.";

/** The lock on the name of a counter file, in the lock file beside it, which says what process has it. */
export interface NameLock extends Disposable {
  /** Whether an earlier version wrote down here that the file has held counters. */
  readonly held: boolean;
  /** Writes down the id of this process. */
  sign(): void;
}

/** Locks the name of a counter file, which need not exist; throws a {@linkcode StartError} if another process has it. */
export function lockName(path: string): NameLock {
  const file = Deno.openSync(`${path}.lock`, { create: true, read: true, write: true });
  if (!file.tryLockSync(true)) {
    file.close();
    throw inUse(path);
  }
  return {
    held: textOf(file).startsWith(HELD),
    sign() {
      try {
        file.truncateSync();
        file.seekSync(0, Deno.SeekMode.Start);
        file.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
      } catch {
        // It is locked all the same; the error of another process will not say by whom.
      }
    },
    [Symbol.dispose]: () => release(file),
  };
}

/**
 * Locks the counter file itself and makes it if there is none: somebody may remove the lock file or give the counter file a
 * second name. Throws a {@linkcode StartError} if another process has it, and if it is mounted alone or has two names.
 *
 * To be called before SQLite opens the file and released after SQLite closed it: closing any descriptor of a file drops
 * SQLite's own locks on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
export function lockInode(path: string): Disposable {
  const file = Deno.openSync(path, { create: true, read: true, write: true });
  // On other systems this kind of lock and SQLite's own exclude each other.
  const locks = Deno.build.os === "linux";
  try {
    if (locks && !file.tryLockSync(true)) throw inUse(path);
    refuseMount(path);
    refuseNames(path, file);
    return locks ? { [Symbol.dispose]: () => release(file) } : file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Unlocks before closing: a child process that is just starting has a copy of every descriptor, which would keep the lock. */
function release(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}

/** SQLite follows a link to a file and keeps its log there, but the lock file would be here. */
export function refuseLink(path: string): void {
  if (!isLink(path)) return;
  throw new StartError(
    `${path} is a symbolic link: name its target in STORE_URL, or link the whole folder instead`,
  );
}

/** SQLite names its log after the file: opened by another name, the file would be read without it. */
function refuseNames(path: string, file: Deno.FsFile): void {
  const { nlink } = file.statSync();
  if (nlink === null || nlink <= 1) return;
  throw new StartError(
    `${path} has another name as well (it is a hard link), and opening it under both would lose counts. ` +
      `Make a copy under a name of its own, and use that`,
  );
}

/** A file that is mounted by itself leaves its log behind in the folder. The system refuses links across mounts. */
function refuseMount(path: string): void {
  const name = `${path}.mount-check`;
  remove(name);
  try {
    Deno.linkSync(path, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) return;
    throw new StartError(
      `${path} is mounted as a single file, without the files that SQLite keeps next to it: mount its whole folder instead`,
    );
  }
  remove(name);
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function inUse(path: string): StartError {
  const id = ownerOf(path);
  const holder = id === undefined ? "another process" : `another process, whose id is ${id}`;
  return new StartError(
    `${path} is in use by ${holder}: stop that process first, or name another file in STORE_URL`,
  );
}

/** The id of the process that has the lock; undefined if it cannot be read. */
function ownerOf(path: string): string | undefined {
  try {
    return /^\d+$/m.exec(Deno.readTextFileSync(`${path}.lock`))?.[0];
  } catch {
    return undefined;
  }
}

function textOf(file: Deno.FsFile): string {
  const bytes = new Uint8Array(64);
  const length = file.readSync(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, length));
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}
