import { StartError } from "../../../start_error.ts";

/**
 * A lock on a file, which is created if it does not exist. A counter file has two:
 *
 * - The lock on its name, the file next to it that ends in `.lock`.
 * - The lock on the file itself, because the other may be deleted and the file may have a second
 *   name. Take it before SQLite opens the file, and release it after SQLite closed it: closing any
 *   descriptor of a file drops SQLite's own locks on it (sqlite.org/howtocorrupt.html, section
 *   2.2).
 */
export class FileLock implements Disposable {
  readonly #file: Deno.FsFile;

  /** Throws a {@linkcode StartError} if another process holds the lock. */
  constructor(name: string, counterFile: string) {
    this.#file = Deno.openSync(name, { create: true, read: true, write: true });
    if (this.#file.tryLockSync(true)) return;
    this.#file.close();
    throw new StartError(
      `${counterFile} is in use by another process: stop that process first, or name another file in STORE_URL`,
    );
  }

  /** Unlocks before closing: a child process that is starting holds a copy of the descriptor. */
  [Symbol.dispose](): void {
    this.#file.unlockSync();
    this.#file.close();
  }
}

/** Returns the path of a file next to another. Not by `node:path`, which would slow each start. */
export function siblingOf(path: string, name: string, os = Deno.build.os): string {
  return path.replace(os === "windows" ? /[^\\/]*$/ : /[^/]*$/, name);
}

/** Returns the folder of a file. */
export function folderOf(path: string, os = Deno.build.os): string {
  return siblingOf(path, "", os).replace(/(?<=.)[\\/]$/s, "") || ".";
}
