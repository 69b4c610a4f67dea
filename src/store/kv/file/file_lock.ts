import { StartError } from "../../../problem.ts";

/** The lock on the name of a counter file: the file next to it that ends in `.lock`. */
export interface NameLock extends Disposable {
  /** Stores the id of this process in the lock file. */
  sign(): void;
}

/**
 * Locks the name of a counter file, which need not exist. Throws a {@linkcode StartError} if
 * another process holds the lock.
 */
export function lockName(path: string): NameLock {
  const file = Deno.openSync(`${path}.lock`, { create: true, read: true, write: true });
  if (!file.tryLockSync(true)) {
    file.close();
    throw inUse(path);
  }
  return {
    sign() {
      try {
        file.truncateSync();
        file.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
      } catch {
        // The lock is held all the same. Only the error of another process will lack the id.
      }
    },
    [Symbol.dispose]: () => release(file),
  };
}

/**
 * Locks the counter file itself and creates it if it does not exist, because the lock file may be
 * removed and the counter file may have a second name. Throws a {@linkcode StartError} if another
 * process holds the lock, or if the file is mounted alone.
 *
 * Lock before SQLite opens the file, and release after SQLite closed it: closing any descriptor of
 * a file drops SQLite's own locks on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
export function lockInode(path: string): Disposable {
  const file = Deno.openSync(path, { create: true, read: true, write: true });
  // On other systems this kind of lock and SQLite's own exclude each other.
  const locks = Deno.build.os === "linux";
  try {
    if (locks && !file.tryLockSync(true)) throw inUse(path);
    refuseMount(path);
    return locks ? { [Symbol.dispose]: () => release(file) } : file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Throws if a path is a symbolic link: SQLite keeps its log next to the target, where no lock is.
 */
export function refuseLink(path: string): void {
  if (!isLink(path)) return;
  throw new StartError(
    `${path} is a symbolic link: name its target in STORE_URL, or link the whole folder instead`,
  );
}

/** Returns the folder of a file. Not by `node:path`, which would make each start slower. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ".";
}

/** Throws if a file is mounted without its folder: its log would be lost with the container. */
function refuseMount(path: string): void {
  if (Deno.statSync(path).dev === Deno.statSync(folderOf(path)).dev) return;
  throw new StartError(
    `${path} is mounted as a single file, without the files that SQLite keeps next to it: mount its whole folder instead`,
  );
}

/** Unlocks before closing: a child process that is starting holds a copy of the descriptor. */
function release(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}

function inUse(path: string): StartError {
  const id = ownerOf(path);
  const holder = id === undefined ? "another process" : `another process, whose id is ${id}`;
  return new StartError(
    `${path} is in use by ${holder}: stop that process first, or name another file in STORE_URL`,
  );
}

/** Returns the id of the process that holds the lock, or undefined if it cannot be read. */
function ownerOf(path: string): string | undefined {
  try {
    return /^\d+$/m.exec(Deno.readTextFileSync(`${path}.lock`))?.[0];
  } catch {
    return undefined;
  }
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}
