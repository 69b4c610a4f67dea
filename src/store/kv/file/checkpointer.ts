import { CHECKPOINT_DELAY_MS } from "../limits.ts";

/** With more commits than these in that time, SQLite itself runs checkpoints often enough. */
const MANY_COMMITS = 100;
/** More file descriptors than a worker takes when it starts. */
const WORKER_DESCRIPTORS = 16;

/**
 * What the worker runs, as text because the bundle and the binary hold no module that a worker could load.
 *
 * `node:sqlite` and Deno KV share one copy of SQLite in this process, so closing this connection does not drop the locks of
 * the other. If a checkpoint fails nothing is lost, because the log still holds everything.
 */
const WORKER = `
import { DatabaseSync } from "node:sqlite";
onmessage = ({ data: [path, mode] }) => {
  let done = false;
  try {
    const database = new DatabaseSync(path);
    try {
      done = database.prepare("PRAGMA wal_checkpoint(" + mode + ")").get().busy === 0;
    } finally {
      database.close();
    }
  } catch {}
  postMessage(done);
};`;

/** Moves what commits leave in SQLite's log into the counter file, so that a log that gets lost takes little with it. */
export interface Checkpointer {
  /** To be called after each commit. */
  onCommit(): void;
  /** Moves the whole log and empties it, unless somebody is reading it; says whether it did. No commit may be under way. */
  truncate(): Promise<boolean>;
  /** Runs a last checkpoint. */
  close(): Promise<void>;
}

/**
 * Runs checkpoints of the counter file at `path`, a while after commits that are too few for SQLite to do so by itself.
 * They run in a worker: SQLite blocks its thread until the disk has written, and no other request may wait for that.
 *
 * `checkPresent` throws if the file at the path is not the one that was opened.
 */
export function createCheckpointer(path: string, checkPresent: () => void): Checkpointer {
  let commits = 0;
  let hasCommitted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<boolean> | undefined;
  let worker: Worker | undefined;

  function onTimer(): void {
    const wait = commits > MANY_COMMITS || running !== undefined;
    commits = 0;
    timer = wait ? setTimeout(onTimer, CHECKPOINT_DELAY_MS) : undefined;
    if (!wait) run("PASSIVE");
  }

  function run(mode: "PASSIVE" | "TRUNCATE"): Promise<boolean> {
    return running = checkpoint(mode).finally(() => running = undefined);
  }

  async function checkpoint(mode: "PASSIVE" | "TRUNCATE"): Promise<boolean> {
    try {
      checkPresent();
      worker ??= startWorker(`${path}.lock`);
    } catch {
      return false;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    worker.onmessage = ({ data }) => resolve(data === true);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(false);
    };
    worker.postMessage([path, mode]);
    return await promise;
  }

  return {
    onCommit() {
      commits++;
      hasCommitted = true;
      timer ??= setTimeout(onTimer, CHECKPOINT_DELAY_MS);
    },
    async truncate() {
      await running;
      return await run("TRUNCATE");
    },
    async close() {
      clearTimeout(timer);
      await running;
      if (hasCommitted) await run("PASSIVE");
      worker?.terminate();
    },
  };
}

/** Throws if few file descriptors are left: Deno ends the whole process if a worker that starts finds none. */
function startWorker(anyFile: string): Worker {
  using probes = new DisposableStack();
  for (let count = 0; count < WORKER_DESCRIPTORS; count++) probes.use(Deno.openSync(anyFile));
  probes.dispose();
  return new Worker(`data:text/javascript,${encodeURIComponent(WORKER)}`, { type: "module" });
}
