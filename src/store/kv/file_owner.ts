import { StartError } from "../../start_error.ts";

/** What the lock file of an earlier version says once the file beside it has held counters. */
const HELD = "This counter file has held counts.";

/** The lock beside a counter file, which tells who has it. */
export interface Lock extends Disposable {
  /** Whether an earlier version wrote down here that the file has held counters. */
  readonly held: boolean;
  /** Writes down which process has it. */
  sign(): void;
}

/**
 * Locks the lock file beside a counter file, which may not be there yet; throws a {@linkcode StartError} where another
 * process has it.
 */
export function lockBeside(path: string): Lock {
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
        // It is locked all the same; whoever is refused is not told by whom.
      }
    },
    [Symbol.dispose]: () => giveUp(file),
  };
}

/**
 * Makes the file where there is none and locks it itself, as somebody may remove the lock beside it or give the file a
 * second name; throws a {@linkcode StartError} where another process has it, and where it is no file of a folder alone.
 *
 * To be called before SQLite opens the file and given up after SQLite closed it: closing any descriptor of a file drops
 * SQLite's own locks on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
export function lockItself(path: string): Disposable {
  const file = Deno.openSync(path, { create: true, read: true, write: true });
  // Elsewhere this kind of lock and SQLite's own stand in each other's way.
  const locks = Deno.build.os === "linux";
  try {
    if (locks && !file.tryLockSync(true)) throw inUse(path);
    refuseMount(path);
    refuseNames(path, file);
    return locks ? { [Symbol.dispose]: () => giveUp(file) } : file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Unlocks before it closes: a child that is starting just now has a copy of every descriptor, which keeps a lock. */
function giveUp(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}

/** SQLite follows a link to a file and keeps its log there, but the lock beside it would be here. */
export function refuseLink(path: string): void {
  if (!isLink(path)) return;
  throw new StartError(
    `${path} is a symbolic link: name the file that it leads to in STORE_URL, or make a link of its whole folder`,
  );
}

/** SQLite names its log after the file: opened by another name, the file would come without it. */
function refuseNames(path: string, file: Deno.FsFile): void {
  const { nlink } = file.statSync();
  if (nlink === null || nlink <= 1) return;
  throw new StartError(
    `${path} has another name as well (it is a hard link): counts would be lost where it is opened by both. ` +
      `Make a copy of it under a name of its own, and use that`,
  );
}

/** A file that is mounted by itself leaves its log behind in the folder; a link out of a mount is refused by the system. */
function refuseMount(path: string): void {
  const name = `${path}.mount-check`;
  remove(name);
  try {
    Deno.linkSync(path, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) return;
    throw new StartError(
      `${path} is mounted as a single file, without what SQLite keeps beside it: mount its whole folder instead`,
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
  const id = signedBy(path);
  const holder = id === undefined ? "another process" : `another process, whose id is ${id}`;
  return new StartError(
    `${path} is in use by ${holder}: stop it first, or give this one a file of its own in STORE_URL`,
  );
}

/** The process that has the lock, as it numbers itself; undefined where that cannot be read. */
function signedBy(path: string): string | undefined {
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
