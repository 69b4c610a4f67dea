import type { CounterId } from "../counter/counter_id.ts";
import type { CounterState, Day } from "../counter/days.ts";
import { type CounterLine, formatHeld, LineError, parseLine } from "../counter/line.ts";
import { applyUpdate, refusalOf, type Update } from "../counter/update.ts";
import type { Write } from "../counter/store.ts";
import { Problem } from "../problem.ts";
import { yieldToHits } from "./batcher.ts";
import type { Counters } from "./counters.ts";

/** A line of text, as it was sent. */
export interface NumberedLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Why it could not even be read. */
  readonly flaw?: string;
}

export interface ImportOptions {
  today: Day;
  mode: Update["mode"];
  /** How many lines are taken together at most, fewer if they have days: they are in memory until then. */
  bufferSize: number;
  /** Takes lines, some thousands at a time, and resolves with the problems of those it could not take, by their index. */
  take(lines: readonly CounterLine[]): Promise<ReadonlyMap<number, Problem>>;
  /** Whether other requests wait: they get time between lines then. */
  othersWait(): boolean;
}

/** Why an import ended early: a line that is bad, as the message says, or one that could not be taken. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly line: number;
  /** How many lines were taken before. */
  readonly taken: number;
  /** Why the line could not be taken; undefined if it is bad. */
  readonly problem: Problem | undefined;

  constructor(message: string, at: { line: number; taken: number; problem?: Problem }) {
    super(message, { cause: at.problem });
    this.line = at.line;
    this.taken = at.taken;
    this.problem = at.problem;
  }
}

/**
 * Hands on lines and resolves with how many there were. Ends at the first that is bad or cannot be taken, with an
 * {@linkcode ImportError}; there, and if the source breaks off, the lines before it are taken.
 */
export async function importLines(
  source: AsyncIterable<readonly NumberedLine[]>,
  options: ImportOptions,
): Promise<number> {
  const buffer = new LineBuffer(options);
  try {
    for await (const lines of source) {
      let since = performance.now();
      for (const line of lines) {
        buffer.add(line);
        if (buffer.isFull) await buffer.flush();
        else if (performance.now() - since < TURN_MS) continue;
        else if (options.othersWait()) await yieldToHits(since, OTHERS_SHARE);
        since = performance.now();
      }
    }
  } finally {
    await buffer.flush();
  }
  return buffer.taken;
}

/** How long lines are read before others have their turn, in milliseconds, and how many times longer that turn is. */
const TURN_MS = 2;
const OTHERS_SHARE = 3;
/** How many days take as much memory as all the rest of a line. */
const DAYS_PER_LINE = 10;
/** How long lines that are taken together may take, in milliseconds: no more are read meanwhile, and proxies give up after a minute. */
const LONGEST_MS = 10_000;
/** How many times fewer come first, as nobody knows yet how fast they are taken. */
const FIRST_PART = 3;
/** How the last line of an export begins. */
const LAST_LINE = /^\{\s*"counters"\s*:\s*(\d+)\s*[,}]/;

/** Gathers lines until there are enough to be taken together. */
class LineBuffer {
  readonly #options: ImportOptions;
  #lines: CounterLine[] = [];
  #numbers: number[] = [];
  #days = 0;
  #taken = 0;
  #ended = false;
  /** How many lines without days fill it, by how long taking the last ones took. */
  #size: number;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#size = options.bufferSize / FIRST_PART;
  }

  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#weight >= this.#size;
  }

  get #weight(): number {
    return this.#lines.length + this.#days / DAYS_PER_LINE;
  }

  add(numbered: NumberedLine): void {
    try {
      this.#read(numbered);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      const taken = this.#taken + this.#lines.length;
      throw new ImportError(error.message, { line: numbered.number, taken });
    }
  }

  async flush(): Promise<void> {
    const [lines, numbers, weight] = [this.#lines, this.#numbers, this.#weight];
    this.#lines = [];
    this.#numbers = [];
    this.#days = 0;
    if (lines.length === 0) return;
    const { take, bufferSize } = this.#options;
    const began = performance.now();
    const problems = await take(lines);
    this.#size = Math.min(bufferSize, weight * LONGEST_MS / (performance.now() - began));
    this.#taken += lines.length - problems.size;
    for (const [index, problem] of problems) {
      const line = numbers[index] ?? NaN;
      throw new ImportError(problem.detail, { line, taken: this.#taken, problem });
    }
  }

  #read({ number, text, flaw }: NumberedLine): void {
    if (flaw !== undefined) throw new LineError(flaw);
    if (this.#ended) throw new LineError("it comes after the last line of an export");
    const count = LAST_LINE.exec(text)?.[1];
    if (count !== undefined) return this.#end(Number(count));
    const { today, mode } = this.#options;
    const line = parseLine(text, { today, mode });
    this.#lines.push(line);
    this.#numbers.push(number);
    this.#days += line.days?.hits.length ?? 0;
  }

  /** The last line of an export says how many came before it, so that a missing part is noticed. */
  #end(count: number): void {
    const before = this.#taken + this.#lines.length;
    if (count !== before) {
      throw new LineError(`it announces ${count} counters, but there were ${before} before it`);
    }
    this.#ended = true;
  }
}

/** How many chunks are on their way at once: while the store is busy with one, the next is made ready. */
const CONCURRENCY = 2;
/** How many lines a chunk has while hits come in: they wait for all of it. */
const CHUNK_BESIDE_HITS = 100;
/** How many times as long as a chunk took the store is left to hits, by each of those that are on their way. */
const HITS_SHARE = 3 * CONCURRENCY;

export interface SetLinesOptions {
  mode: Update["mode"];
  /** Carries out writes together, of which no two have the same id. */
  write(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]>;
  /** How many ids may be written together. */
  idsPerBatch: number;
  /** Whether counters with similar ids shall be set together. */
  byId: boolean;
  /** How many hits have come so far. */
  hits(): number;
}

/**
 * Sets counters. Where hits come meanwhile, chunks are small and most of the time is theirs. After a failure of the store
 * the rest is not tried. Resolves with the problems of those that were not set, by their index.
 */
export async function setLines(
  lines: readonly CounterLine[],
  { mode, write, idsPerBatch, byId, hits }: SetLinesOptions,
): Promise<ReadonlyMap<number, Problem>> {
  const order = byId ? await SortOrder.byId(lines) : SortOrder.asTheyCame(lines);
  const problems = new Map<number, Problem>();
  let failure: Problem | undefined;

  async function setChunk(indexes: readonly number[]): Promise<void> {
    const writes = indexes.flatMap((index): Write[] => {
      const line = lines[index];
      return line === undefined
        ? []
        : [{ id: line.id, update: { hits: line.hits, days: line.days, mode } }];
    });
    const outcomes = await write(writes).catch((error) => {
      if (error instanceof Problem) return writes.map(() => error);
      throw error;
    });
    indexes.forEach((index, nth) => {
      const outcome = outcomes[nth];
      if (!(outcome instanceof Problem)) return;
      problems.set(index, outcome);
      if (outcome.status >= 500) failure = outcome;
    });
  }

  async function setChunks(): Promise<void> {
    let busy = true;
    while (failure === undefined) {
      const began = performance.now();
      const before = hits();
      const chunk = order.take(busy ? Math.min(idsPerBatch, CHUNK_BESIDE_HITS) : idsPerBatch);
      if (chunk.length === 0) return;
      await setChunk(chunk);
      // Not whether hits wait now: those that were answered together with this chunk come again a moment later.
      busy = hits() > before;
      if (busy) await yieldToHits(began, HITS_SHARE);
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, setChunks));
  if (failure !== undefined) {
    for (let rest; (rest = order.take(idsPerBatch)).length > 0;) {
      for (const index of rest) problems.set(index, failure);
    }
  }
  return problems;
}

/** How many lines are sorted at a time, which takes some milliseconds. */
const RUN = 5000;

/** Lines in a row, by their indexes, in order. */
interface Run {
  readonly indexes: readonly number[];
  taken: number;
}

/** The indexes of lines in the order in which they are set; of two lines of one counter the later one comes later. */
export class SortOrder {
  readonly #lines: readonly CounterLine[];
  readonly #runs: Run[] = [];

  private constructor(lines: readonly CounterLine[]) {
    this.#lines = lines;
  }

  /** As the lines came. */
  static asTheyCame(lines: readonly CounterLine[]): SortOrder {
    const order = new SortOrder(lines);
    order.#runs.push({ indexes: [...lines.keys()], taken: 0 });
    return order;
  }

  /**
   * By their ids. Never for long at a time, as hits wait meanwhile: runs of lines are sorted, and merged while they are
   * taken.
   */
  static async byId(lines: readonly CounterLine[]): Promise<SortOrder> {
    const order = new SortOrder(lines);
    for (let start = 0; start < lines.length; start += RUN) {
      order.#addSorted(start, Math.min(start + RUN, lines.length));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return order;
  }

  /** Takes the first of those that are left, until a counter would come a second time; none when there are no more. */
  take(count: number): number[] {
    const indexes: number[] = [];
    const ids = new Set<string>();
    while (indexes.length < count) {
      const first = this.#first();
      if (first === undefined || ids.has(first.id)) break;
      ids.add(first.id);
      indexes.push(first.index);
      first.run.taken++;
    }
    return indexes;
  }

  #addSorted(start: number, end: number): void {
    const indexes = Array.from({ length: end - start }, (_, index) => start + index);
    indexes.sort((a, b) => compare(this.#lines[a]?.id, this.#lines[b]?.id));
    this.#runs.push({ indexes, taken: 0 });
  }

  #first(): { run: Run; index: number; id: string } | undefined {
    let first: { run: Run; index: number; id: string } | undefined;
    for (const run of this.#runs) {
      const index = run.indexes[run.taken] ?? NaN;
      const id = this.#lines[index]?.id;
      // Of two lines of one counter the one in the earlier run comes first.
      if (id !== undefined && (first === undefined || id < first.id)) first = { run, index, id };
    }
    return first;
  }
}

/** Where it is used to sort, what is alike stays in its order (ECMAScript, "Array.prototype.sort"). */
function compare(one: string | undefined, other: string | undefined): number {
  if (one === other || one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}

/** What an import would make of a counter. */
export interface PreviewedChange {
  readonly id: CounterId;
  /** Its number now, and after the import: the same if only days would change. */
  readonly before: number;
  readonly after: number;
}

/** How many counters are asked for at once. */
const HISTORIES_AT_ONCE = 500;

/** Compares lines with what the counters hold, and writes nothing. */
export class Preview {
  readonly #counters: Counters;
  readonly #mode: Update["mode"];
  readonly #changes: PreviewedChange[] = [];
  #changed = 0;

  constructor(counters: Counters, mode: Update["mode"]) {
    this.#counters = counters;
    this.#mode = mode;
  }

  /** How many counters would change. */
  get changed(): number {
    return this.#changed;
  }

  /** The first 1,000 of them. */
  get changes(): readonly PreviewedChange[] {
    return this.#changes;
  }

  /** Takes lines as an import does; resolves with the problems of those that cannot be compared, by their index. */
  async take(lines: readonly CounterLine[]): Promise<ReadonlyMap<number, Problem>> {
    const problems = new Map<number, Problem>();
    const repeated = repeatedIn(lines);
    const made = new Map<CounterId, Promise<CounterState>>();
    for (let start = 0; start < lines.length; start += HISTORIES_AT_ONCE) {
      await Promise.all(
        lines.slice(start, start + HISTORIES_AT_ONCE).map(async (line, index) => {
          try {
            const before = made.get(line.id) ?? this.#counters.history(line.id, -Infinity);
            const after = this.#compare(line, before);
            if (repeated.has(line.id)) made.set(line.id, after);
            await after;
          } catch (error) {
            if (!(error instanceof Problem)) throw error;
            problems.set(start + index, error);
          }
        }),
      );
    }
    return problems;
  }

  /** Resolves with what the line makes of its counter, which lines before it may have changed. */
  async #compare(
    { id, ...given }: CounterLine,
    before: Promise<CounterState>,
  ): Promise<CounterState> {
    const held = await before;
    const today = this.#counters.calendar.today();
    const after = applyUpdate({ ...given, mode: this.#mode }, { held, today });
    const refusal = refusalOf(after);
    if (refusal !== undefined) throw refusal;
    if (formatHeld({ id, ...held }) === formatHeld({ id, ...after })) return after;
    this.#changed++;
    if (this.#changes.length < MOST_CHANGES) {
      this.#changes.push({ id, before: held.hits, after: after.hits });
    }
    return after;
  }
}

const MOST_CHANGES = 1000;

/** The counters that several lines name: what is made of the others need not be kept, which may be years of days each. */
function repeatedIn(lines: readonly CounterLine[]): ReadonlySet<CounterId> {
  const [named, repeated] = [new Set<CounterId>(), new Set<CounterId>()];
  for (const { id } of lines) (named.has(id) ? repeated : named).add(id);
  return repeated;
}
