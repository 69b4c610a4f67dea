import { StartError } from "../../start_error.ts";
import { lockBeside, lockItself, refuseLink } from "./file_owner.ts";
import { type HeldNote, openHeldNote } from "./held_note.ts";
import { checkKvFile, refuseMissing, refuseReadOnly } from "./kv_file_check.ts";
import { openingError } from "./opening_error.ts";
import { createLogSaver } from "./log_saver.ts";

/** A Deno KV file that this process owns. */
export interface KvFile {
  readonly kv: Deno.Kv;
  /** Throws where the file is no longer the one that was opened; it is looked for at most every 100 ms. */
  checkPresent(): void;
  /** To be called after a commit, one at a time: looks for the file in any case, and notes beside it what it holds. */
  confirm(versionstamp: string): Promise<void> | undefined;
  /** Closes the database and gives the file up. */
  close(): Promise<void>;
}

/** How often the file is looked for where nothing was written, in milliseconds: a look costs as much as a read. */
const LOOK_INTERVAL = 100;

/**
 * Opens a Deno KV file, and makes it and its folder where there are none; nobody else may open it until it is closed.
 *
 * Throws a {@linkcode StartError} where another process owns it, where it is damaged or holds less than it has held, and
 * where the system does not let it be used.
 */
export async function openKvFile(path: string): Promise<KvFile> {
  // The database has to be closed before the file is given up: what came last goes first.
  using held = new DisposableStack();
  try {
    Deno.mkdirSync(folderOf(path), { recursive: true });
    refuseLink(path);
    const lock = held.use(lockBeside(path));
    const note = held.use(openHeldNote(path, lock.held));
    refuseMissing(path, note.known);
    held.use(lockItself(path));
    const last = await checkKvFile(path, note.known);
    if (last !== undefined) {
      if (last !== note.known) await note.write(last);
      await refuseReadOnly(path);
    }
    const kv = held.use(await Deno.openKv(path));
    lock.sign();
    return own({ kv, path, note, held: held.move() });
  } catch (error) {
    if (error instanceof StartError || error instanceof Deno.errors.NotCapable) throw error;
    throw openingError(path, error);
  }
}

/** The folder that a file lies in; written out because `node:path` takes longer to load than a start may. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ".";
}

interface Opened {
  kv: Deno.Kv;
  path: string;
  note: HeldNote;
  held: DisposableStack;
}

function own({ kv, path, note, held }: Opened): KvFile {
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

  const saver = createLogSaver({ path, look });

  return {
    kv,
    checkPresent() {
      if (performance.now() - seen >= LOOK_INTERVAL) look();
    },
    confirm(versionstamp) {
      look();
      saver.committed();
      return note.write(versionstamp);
    },
    async close() {
      await saver.end();
      held.dispose();
    },
  };
}
