import { StartError } from "../../../start_error.ts";
import {
  checkKvFile,
  foldLog,
  ifPresent,
  refuseLink,
  refuseMissing,
  refuseMount,
  requireWritable,
  toStartError,
} from "./file_check.ts";
import { FileLock, folderOf } from "./file_lock.ts";

/** Interval of checks that the file is present while nothing is written. */
const CHECK_INTERVAL_MS = 100;

/** A Deno KV file that this process owns. */
export type CounterFile = Readonly<Awaited<ReturnType<typeof openCounterFile>>>;

/**
 * Opens a Deno KV file, and creates it and its folder if they do not exist. No other process can
 * open it until it is closed.
 *
 * Throws a {@linkcode StartError} if another process owns the file, if it is damaged or older than
 * its last commit, or if the system does not let it be used. Throws `NotCapable` if Deno does not.
 */
export async function openCounterFile(path: string) {
  using opened = new DisposableStack();
  try {
    Deno.mkdirSync(folderOf(path), { recursive: true });
    refuseLink(path);
    opened.use(new FileLock(`${path}.lock`, path));
    const mark = opened.use(new HighWaterMark(path));
    const { lastCommit } = mark;
    // Before the lock on the file, which creates it.
    refuseMissing(path, lastCommit);
    // On other systems this kind of lock and SQLite's own exclude each other.
    if (Deno.build.os === "linux") {
      opened.use(new FileLock(path, path));
      refuseMount(path);
    }
    const found = await checkKvFile(path, lastCommit);
    if (found !== undefined) {
      if (found !== lastCommit) await mark.move(found);
      await requireWritable(path);
    }
    const kv = await Deno.openKv(path);
    const isPresent = createPresenceCheck(path);
    const locks = opened.move();
    return {
      kv,
      isPresent,
      /** Moves the high-water mark after a commit. Returns a promise for the first one. */
      moveMark: (versionstamp: string): Promise<void> | undefined => mark.move(versionstamp),
      /**
       * Closes the database and releases the locks. Resolves with false if another program reads
       * the file, so that it lacks counts that are in the log next to it.
       */
      async close(): Promise<boolean> {
        using _ = locks;
        kv.close();
        // A new file in the place of one that was moved away would be empty.
        return !isPresent(true) || await foldLog(path);
      },
    };
  } catch (error) {
    if (error instanceof StartError || error instanceof Deno.errors.NotCapable) throw error;
    throw toStartError(path, error);
  }
}

const encoder = new TextEncoder();

/**
 * The versionstamp of the last commit to a counter file, stored in a file next to it. A counter
 * file with an older last commit has lost counts.
 */
class HighWaterMark implements Disposable {
  /** The mark when it was opened. "" if it is damaged, undefined if there was no commit yet. */
  readonly lastCommit: string | undefined;
  readonly #name: string;
  #file: Deno.FsFile | undefined;
  #highest = "";

  constructor(path: string) {
    this.#name = `${path}.held`;
    const text = ifPresent(() => Deno.readTextFileSync(this.#name));
    this.lastCommit = text ? /^[0-9a-f]{20}\b/.exec(text)?.[0] ?? "" : undefined;
  }

  /**
   * Moves the mark. The first one is also synced, so that it survives a power cut. Never fails,
   * because the counts are stored: the next commit writes a mark that could not be written.
   */
  move(versionstamp: string): Promise<void> | undefined {
    if (versionstamp < this.#highest) return;
    this.#highest = versionstamp;
    try {
      const isFirst = this.#file === undefined;
      const file = this.#file ??= Deno.openSync(this.#name, { create: true, write: true });
      file.seekSync(0, Deno.SeekMode.Start);
      file.writeSync(encoder.encode(versionstamp));
      if (isFirst) return file.sync().catch(() => {});
    } catch {
      // See above.
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
  }
}

/**
 * Creates a function that reports whether the file at the path is still the one that was opened. It
 * checks at most every 100 ms, or in any case if `isCommitted` is true.
 */
function createPresenceCheck(path: string): (isCommitted?: boolean) => boolean {
  const opened = Deno.statSync(path);
  let checkedAt = performance.now();
  return (isCommitted = false) => {
    if (!isCommitted && performance.now() - checkedAt < CHECK_INTERVAL_MS) return true;
    // After a failure, every call checks again.
    checkedAt = -Infinity;
    try {
      const { ino, dev } = Deno.statSync(path);
      if (ino !== opened.ino || dev !== opened.dev) return false;
    } catch {
      return false;
    }
    checkedAt = performance.now();
    return true;
  };
}
