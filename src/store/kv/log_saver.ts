/** How long after a commit SQLite's log is saved into the file, in milliseconds. */
const SAVE_AFTER = 1000;
/** With more commits than these in that time, SQLite saves its log by itself often enough. */
const MANY_COMMITS = 100;
/** More descriptors than a worker takes as it starts. */
const WORKER_DESCRIPTORS = 16;

/**
 * What the worker runs, as text because a bundle and a binary hold no module that could be loaded for it.
 *
 * It is the same SQLite as Deno KV's own, in this process, so that closing its connection leaves that one its locks. Nothing
 * is lost where it fails: the log holds everything still.
 */
const WORKER = `
import { DatabaseSync } from "node:sqlite";
onmessage = ({ data: path }) => {
  try {
    const database = new DatabaseSync(path);
    try {
      database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } finally {
      database.close();
    }
  } catch {}
  postMessage("over");
};`;

/** Saves what commits leave in SQLite's log into the counter file, so that a log that gets lost takes little along. */
export interface LogSaver {
  /** To be called after each commit. */
  committed(): void;
  /** Saves what is left. */
  end(): Promise<void>;
}

/** Options of {@linkcode createLogSaver}. */
export interface LogSaverOptions {
  path: string;
  /** Throws where the file at the path is not the one that was opened. */
  look(): void;
}

/**
 * Saves a while after commits, where there are so few that SQLite itself would wait for long. It does so in a worker, as
 * SQLite holds up its thread until the disk has written, and no other request should wait for that.
 */
export function createLogSaver({ path, look }: LogSaverOptions): LogSaver {
  let commits = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving: Promise<void> | undefined;
  let worker: Worker | undefined;
  let hasCommitted = false;

  function whenDue(): void {
    const wait = commits > MANY_COMMITS || saving !== undefined;
    commits = 0;
    timer = wait ? setTimeout(whenDue, SAVE_AFTER) : undefined;
    if (!wait) saving = save().finally(() => saving = undefined);
  }

  async function save(): Promise<void> {
    try {
      look();
      worker ??= startWorker(`${path}.lock`);
    } catch {
      return;
    }
    const { promise: over, resolve } = Promise.withResolvers<void>();
    worker.onmessage = () => resolve();
    worker.onerror = (event) => {
      event.preventDefault();
      resolve();
    };
    worker.postMessage(path);
    await over;
  }

  return {
    committed() {
      commits++;
      hasCommitted = true;
      timer ??= setTimeout(whenDue, SAVE_AFTER);
    },
    async end() {
      clearTimeout(timer);
      await saving;
      if (hasCommitted) await save();
      worker?.terminate();
    },
  };
}

/** Throws where too few descriptors are left: Deno ends the process when a worker finds none. */
function startWorker(anyFile: string): Worker {
  using probe = new DisposableStack();
  for (let count = 0; count < WORKER_DESCRIPTORS; count++) probe.use(Deno.openSync(anyFile));
  probe.dispose();
  return new Worker(`data:text/javascript,${encodeURIComponent(WORKER)}`, { type: "module" });
}
