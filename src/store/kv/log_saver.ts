/** How long after a commit SQLite's log is saved into the file, in milliseconds. */
const SAVE_AFTER = 1000;
/** With more commits than these in that time, SQLite saves its log by itself often enough. */
const MANY_COMMITS = 100;

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

/** Saves a while after commits, where there are so few that SQLite itself would wait for long. */
export function createLogSaver({ path, look }: LogSaverOptions): LogSaver {
  let commits = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving: Promise<void> | undefined;

  function whenDue(): void {
    const many = commits > MANY_COMMITS;
    commits = 0;
    timer = many ? setTimeout(whenDue, SAVE_AFTER) : undefined;
    if (!many) saving = save();
  }

  async function save(): Promise<void> {
    try {
      const { DatabaseSync } = await import("node:sqlite");
      look();
      // The same SQLite as Deno KV's own, in this process, so that closing this connection leaves that one its locks.
      using database = new DatabaseSync(path);
      database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
    } catch {
      // Nothing is lost by it: the log holds everything still.
    }
  }

  return {
    committed() {
      commits++;
      timer ??= setTimeout(whenDue, SAVE_AFTER);
    },
    async end() {
      clearTimeout(timer);
      await saving;
      await save();
    },
  };
}
