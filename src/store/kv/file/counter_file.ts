import { StartError } from "../../../problem.ts";
import { FILE_CHECK_INTERVAL_MS } from "../limits.ts";
import { createCheckpointer, type KeyRange } from "./checkpointer.ts";
import { checkKvFile, explainFailure, refuseMissing, requireWritable } from "./file_check.ts";
import { lockInode, lockName, refuseLink } from "./file_lock.ts";

/** A Deno KV file that this process owns. */
export interface CounterFile {
  readonly kv: Deno.Kv;
  /** Throws if the file is no longer the one that was opened; looks for it at most every 100 ms. */
  checkPresent(): void;
  /** To be called after each commit, one at a time: looks for the file in any case, and moves the high-water mark. */
  confirm(versionstamp: string): Promise<void> | undefined;
  /** Erases strings from the file and from SQLite's log; says whether it did. No commit may be under way. */
  erase(range: KeyRange): Promise<boolean>;
  /** Closes the database and releases the file. */
  close(): Promise<void>;
}

/**
 * Opens a Deno KV file, and makes it and its folder if there are none; nobody else may open it until it is closed.
 *
 * Throws a {@linkcode StartError} if another process owns it, if it is damaged or holds less than it has held, and if the
 * system does not let it be used.
 */
export async function openCounterFile(path: string): Promise<CounterFile> {
  // Disposed of in reverse: the database has to be closed before its file is released.
  using opened = new DisposableStack();
  try {
    Deno.mkdirSync(folderOf(path), { recursive: true });
    refuseLink(path);
    const lock = opened.use(lockName(path));
    const mark = opened.use(openHighWaterMark(path, lock.held));
    refuseMissing(path, mark.known);
    opened.use(lockInode(path));
    const last = await checkKvFile(path, mark.known);
    if (last !== undefined) {
      if (last !== mark.known) await mark.write(last);
      await requireWritable(path);
    }
    const kv = opened.use(await Deno.openKv(path));
    lock.sign();
    const look = lookFor(path);
    const checkpointer = createCheckpointer(path, look.now);
    const owned = opened.move();
    return {
      kv,
      checkPresent: look.sometimes,
      confirm(versionstamp) {
        look.now();
        checkpointer.onCommit();
        return mark.write(versionstamp);
      },
      erase: (range) => checkpointer.erase(range),
      async close() {
        await checkpointer.close();
        owned.dispose();
      },
    };
  } catch (error) {
    if (error instanceof StartError || error instanceof Deno.errors.NotCapable) throw error;
    throw explainFailure(path, error);
  }
}

/** The folder that a file lies in; written out because `node:path` would make each start slower. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ".";
}

/**
 * The versionstamp of the last commit to a counter file, kept in a file beside it: a counter file that holds less than this
 * has lost counts.
 */
interface HighWaterMark extends Disposable {
  /** The mark when it was opened: "" if all that is known is that there was a commit, undefined if there was none. */
  readonly known: string | undefined;
  /**
   * Moves the mark. Never fails: a mark that could not be written, as on a full disk, is written with the next commit. The
   * first call waits for the disk; no other may be made until then.
   */
  write(versionstamp: string): Promise<void> | undefined;
}

/** What follows the versionstamp in the file, for people. */
const MEANING =
  " is the last commit of the counter file beside this note. A file with less is not opened.\n";

const encoder = new TextEncoder();

/** Opens the mark of the counter file at `path`; `held` says that something else tells of a commit. */
function openHighWaterMark(path: string, held: boolean): HighWaterMark {
  const name = `${path}.held`;
  const known = readMark(name) ?? (held ? "" : undefined);
  let file: Deno.FsFile | undefined;

  /** Waits for the disk, so that a power cut leaves a mark; later ones only have to outlive this process. */
  async function begin(versionstamp: string): Promise<void> {
    using opened = new DisposableStack();
    try {
      const begun = opened.use(Deno.openSync(name, { create: true, write: true }));
      begun.writeSync(encoder.encode(versionstamp + MEANING));
      await begun.sync();
      opened.move();
      file = begun;
    } catch {
      // The counts are stored, and their callers must be told so.
    }
  }

  return {
    known,
    write(versionstamp) {
      if (file === undefined) return begin(versionstamp);
      try {
        file.seekSync(0, Deno.SeekMode.Start);
        file.writeSync(encoder.encode(versionstamp));
      } catch {
        // As above.
      }
    },
    [Symbol.dispose]: () => file?.close(),
  };
}

function readMark(name: string): string | undefined {
  try {
    using file = Deno.openSync(name, { read: true });
    const bytes = new Uint8Array(MEANING.length + 20);
    const text = new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
    return text === "" ? undefined : /^[0-9a-f]{20}\b/.exec(text)?.[0] ?? "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Ways to look for the file that is at a path now; both throw if another one or none is there. */
function lookFor(path: string): { now(): void; sometimes(): void } {
  const opened = Deno.statSync(path);
  let last = performance.now();

  function now(): void {
    // If it is not found, every call looks again.
    last = -Infinity;
    const found = Deno.statSync(path);
    if (found.ino !== opened.ino || found.dev !== opened.dev) {
      throw new Error(`${path} is not the file that was opened: start again`);
    }
    last = performance.now();
  }

  return {
    now,
    sometimes() {
      if (performance.now() - last >= FILE_CHECK_INTERVAL_MS) now();
    },
  };
}
