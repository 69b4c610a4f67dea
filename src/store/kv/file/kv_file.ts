import { StartError } from "../../../problem.ts";
import { createCheckpointer } from "./checkpointer.ts";
import { checkKvFile, explainFailure, refuseMissing, requireWritable } from "./file_check.ts";
import { lockInode, lockName, refuseLink } from "./file_lock.ts";
import { openHighWaterMark } from "./high_water_mark.ts";

/** A Deno KV file that this process owns. */
export interface KvFile {
  readonly kv: Deno.Kv;
  /** Throws if the file is no longer the one that was opened; looks for it at most every 100 ms. */
  checkPresent(): void;
  /** To be called after each commit, one at a time: looks for the file in any case, and moves the high-water mark. */
  confirm(versionstamp: string): Promise<void> | undefined;
  /** Moves all of SQLite's log into the file and empties it; no commit may be under way. */
  truncateLog(): Promise<void>;
  /** Closes the database and releases the file. */
  close(): Promise<void>;
}

/** How often the file is looked for while nothing is written, in milliseconds: a look costs as much as a read. */
const LOOK_INTERVAL_MS = 100;

/**
 * Opens a Deno KV file, and makes it and its folder if there are none; nobody else may open it until it is closed.
 *
 * Throws a {@linkcode StartError} if another process owns it, if it is damaged or holds less than it has held, and if the
 * system does not let it be used.
 */
export async function openKvFile(path: string): Promise<KvFile> {
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
      truncateLog: () => checkpointer.truncate(),
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
      if (performance.now() - last >= LOOK_INTERVAL_MS) now();
    },
  };
}
