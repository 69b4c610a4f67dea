import type { CounterId } from "../domain/counter_id.ts";
import type { Calendar } from "../domain/calendar.ts";
import { type CounterState, mergeDays } from "../domain/history.ts";
import {
  type CounterLine,
  formatLine,
  formatState,
  LineError,
  type NumberedLine,
  parseLine,
} from "../domain/line.ts";
import type { Update, Write } from "../domain/store.ts";
import { applyUpdate, refusalOf, type UpdatedState } from "../domain/update.ts";
import { Failure } from "../domain/errors.ts";
import type { LongJob } from "../waiting.ts";

/** Maximum size of a portion, which is in memory, in lines without days. */
const PORTION = 10_000;
/** Number of days that take as much memory as the rest of a line. */
const DAYS_PER_LINE = 10;
/** Number of lines in a piece of the job, as many as a commit of Deno KV can check. */
const PIECE = 100;
/** Maximum number of changes that a dry run lists. */
const MAX_CHANGES = 1000;
/** Maximum length of the lines that undo an import, in characters. They are kept in memory. */
const MAX_UNDO_LENGTH = 10_000_000;
/** The beginning of the last line of an export. */
const LAST_LINE = /^\{\s*"counters"\s*:\s*(\d+)\s*[,}]/;

export interface ImportMode {
  mode: Update["mode"];
  /** The name of all additions of an import. Each line adds its number. */
  name?: string | undefined;
  /** True if nothing is written, and the result lists what would change. */
  dry: boolean;
  /** True if the result has the lines that undo the import. */
  undo?: boolean;
  /** The prefix of the ids that the client may import. Undefined if it may import all. */
  prefix?: string | undefined;
}

export interface ImportOptions extends ImportMode {
  calendar: Calendar;
  job: LongJob;
  /** Writes a counter and resolves with its previous state. */
  write(write: Write): Promise<CounterState>;
  /** Reads a counter with all its days. */
  history(id: CounterId): Promise<CounterState>;
}

/** A change that an import would make. */
export interface ImportChange {
  readonly id: CounterId;
  readonly before: number;
  /** Equal to `before` if only days would change. */
  readonly after: number;
}

/** The reason why an import ended early: a line that is invalid, or that was not imported. */
export class ImportError extends Error {
  override readonly name = "ImportError";

  /**
   * `importedCount` is the number of lines that were imported. `failure` is the reason why the line
   * was not imported, undefined if the line is invalid.
   */
  constructor(
    message: string,
    readonly line: number,
    readonly importedCount: number,
    readonly failure?: Failure,
  ) {
    super(message, { cause: failure });
  }
}

/**
 * Sets the counters of lines, in portions. Resolves with the answer to the client. Throws an
 * {@linkcode ImportError} at the first line that is invalid or cannot be imported. The lines before
 * it are imported, also if the source fails.
 */
export async function importLines(
  source: AsyncIterable<readonly NumberedLine[]>,
  options: ImportOptions,
) {
  const { job, dry } = options;
  const run = new ImportRun(options);
  try {
    for await (const lines of source) {
      job.beginPiece();
      for (const line of lines) {
        run.add(line);
        if (run.isFull) await run.flush();
      }
      await job.endPiece();
    }
  } finally {
    await run.flush();
  }
  const { importedCount, daysLeftOut, changed, changes, undo } = run;
  return {
    counters: importedCount,
    ...daysLeftOut > 0 && { daysLeftOut },
    ...options.undo && { undo },
    ...dry && { changed, changes },
  };
}

/** A line that was parsed, and what became of it. */
interface Entry {
  readonly line: CounterLine;
  readonly number: number;
  failure?: Failure;
  change?: ImportChange;
  undo?: string;
}

/** Collects lines and imports them in portions. */
class ImportRun {
  /** The current portion, in the order of the lines. */
  #entries: Entry[] = [];
  #days = 0;
  #hasEnded = false;
  /** The counter that a dry run compared last, and the state that its line results in. */
  #last: { id: CounterId; after: Promise<CounterState> } | undefined;
  /** Number of lines that were imported, or that could be. */
  importedCount = 0;
  /** Number of days in the future that were left out. */
  daysLeftOut = 0;
  /** Number of changes that a dry run found, and the first 1,000 of them. */
  changed = 0;
  readonly changes: ImportChange[] = [];
  /** Lines that undo the import if they are added, the last first. Undefined if too long. */
  undo: string | undefined = "";

  constructor(readonly options: ImportOptions) {}

  get isFull(): boolean {
    return this.#entries.length + this.#days / DAYS_PER_LINE >= PORTION;
  }

  add({ number, text, error }: NumberedLine): void {
    try {
      if (error !== undefined) throw new LineError(error);
      if (this.#hasEnded) throw new LineError("it comes after the last line of an export");
      const count = LAST_LINE.exec(text)?.[1];
      // The number in the last line of an export shows if a part is missing.
      if (count !== undefined && Number(count) !== this.#lineCount) {
        const found = `there were ${this.#lineCount} before it`;
        throw new LineError(`it announces ${Number(count)} counters, but ${found}`);
      }
      this.#hasEnded = count !== undefined;
      if (this.#hasEnded) return;
      const { calendar, mode, prefix = "" } = this.options;
      const line = parseLine(text, { calendar, mode });
      if (!line.id.startsWith(prefix)) throw this.#dropPortion(number);
      this.#entries.push({ line, number });
      this.#days += line.days?.hits.length ?? 0;
      this.daysLeftOut += line.leftOut ?? 0;
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      throw new ImportError(error.message, number, this.#lineCount);
    }
  }

  /** Drops the current portion, because a client that exceeds its rights must change nothing. */
  #dropPortion(number: number): ImportError {
    this.#entries = [];
    const failure = new Failure("outside-prefix", {
      detail: `This job key imports only ids that begin with ${this.options.prefix}.`,
    });
    return new ImportError(failure.message, number, this.importedCount, failure);
  }

  /** Imports the current portion. */
  async flush(): Promise<void> {
    const entries = this.#entries;
    this.#entries = [];
    this.#days = 0;
    await this.#importSorted(entries);
    for (const { change, undo = "" } of entries) {
      // The last change is undone first, so that no number falls below zero on the way.
      if (this.undo !== undefined) this.undo = undo + this.undo;
      if ((this.undo?.length ?? 0) > MAX_UNDO_LENGTH) this.undo = undefined;
      if (change === undefined) continue;
      this.changed++;
      if (this.changes.length < MAX_CHANGES) this.changes.push(change);
    }
    const failed = entries.filter(({ failure }) => failure !== undefined);
    this.importedCount += entries.length - failed.length;
    const [first] = failed;
    if (first?.failure === undefined) return;
    const { number, failure } = first;
    throw new ImportError(failure.message, number, this.importedCount, failure);
  }

  /** Number of lines before the next one. */
  get #lineCount(): number {
    return this.importedCount + this.#entries.length;
  }

  /** Imports entries by id, as stores sort them. Ends after a failure of the store. */
  async #importSorted(entries: readonly Entry[]): Promise<void> {
    const { job } = this.options;
    const sorted = entries.toSorted(byId);
    for (let end = PIECE; end < sorted.length + PIECE; end += PIECE) {
      const piece = sorted.slice(end - PIECE, end);
      await Promise.all(piece.map((entry) => this.#importLine(entry)));
      const ofStore = piece.find(({ failure }) => failure?.isOfStore)?.failure;
      if (ofStore !== undefined) {
        for (const entry of sorted.slice(end)) entry.failure = ofStore;
        return;
      }
      await job.endPiece();
    }
  }

  async #importLine(entry: Entry): Promise<void> {
    const { calendar, dry, mode, name, undo, write } = this.options;
    const { id, leftOut: _, ...line } = entry.line;
    const update = { ...line, mode, ...name && { name: `${name}:${entry.number}` } };
    try {
      if (dry) return void await this.#compare(entry, update);
      const before = await write({ id, update });
      if (undo) {
        entry.undo = undoOf(id, before, applyUpdate(update, { before, today: calendar.today() }));
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      entry.failure = error;
    }
  }

  /** Compares a counter before and after an update, which follows that of the line before. */
  #compare(entry: Entry, update: Update): Promise<CounterState> {
    const { history, calendar } = this.options;
    const { id } = entry.line;
    const reading = this.#last?.id === id ? this.#last.after : history(id);
    const after = reading.then((before) => {
      const state = applyUpdate(update, { before, today: calendar.today() });
      const refusal = refusalOf(state);
      if (refusal !== undefined) throw refusal;
      if (formatState({ id, ...before }) !== formatState({ id, ...state })) {
        entry.change = { id, before: before.hits, after: state.hits };
      }
      return state;
    });
    this.#last = { id, after };
    return after;
  }
}

/** Returns the line that undoes a change if it is added, or an empty text if there is none. */
function undoOf(id: CounterId, before: CounterState, { hits, days }: UpdatedState): string {
  const earlier = before.days ?? { newest: days.newest, hits: [] };
  const missing = mergeDays(earlier, days, (one, other) => one - other);
  if (before.hits === hits && missing.hits.every((number) => number === 0)) return "";
  return `${formatLine({ id, hits: before.hits - hits, days: missing })}\n`;
}

/** Sorting is stable, so of two lines of one counter the later one comes later. */
function byId({ line: { id: one } }: Entry, { line: { id: other } }: Entry): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
