import type { Problem } from "../problem.ts";
import type { Day } from "./days.ts";
import { giveWay } from "./give_way.ts";
import { type Line, LineError, parseLine } from "./line.ts";

/** A line of text, as it was sent. */
export interface NumberedLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Why it could not even be read. */
  readonly flaw?: string;
}

/** Options of {@linkcode importLines}. */
export interface ImportOptions {
  today: Day;
  /** How many lines are taken together at most, fewer where they have days: they are in memory until then. */
  portion: number;
  /** Takes lines, some thousands at a time, and resolves with the problems of those it could not take, by their place. */
  take(lines: readonly Line[]): Promise<ReadonlyMap<number, Problem>>;
  /** Whether others wait, who have their turn then while lines are read. */
  othersWait(): boolean;
}

/** Why an import ended early: a line that is bad, as the message says, or one that could not be taken. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly line: number;
  /** How many lines were taken before. */
  readonly taken: number;
  /** Why the line could not be taken; undefined where it is bad. */
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
 * {@linkcode ImportError}; there, and where the source breaks off, the lines before it are taken.
 */
export async function importLines(
  source: AsyncIterable<readonly NumberedLine[]>,
  options: ImportOptions,
): Promise<number> {
  const portions = new Portions(options);
  try {
    for await (const lines of source) {
      let since = performance.now();
      for (const line of lines) {
        portions.add(line);
        if (portions.isFull) await portions.flush();
        else if (performance.now() - since < TURN_MS) continue;
        else if (options.othersWait()) await giveWay(since, OTHERS_SHARE);
        since = performance.now();
      }
    }
  } finally {
    await portions.flush();
  }
  return portions.taken;
}

/** How long lines are read until others have their turn, in milliseconds, and how many times as long that is. */
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
class Portions {
  readonly #options: ImportOptions;
  #lines: Line[] = [];
  #numbers: number[] = [];
  #days = 0;
  #taken = 0;
  #ended = false;
  /** How many lines without days make a portion, by how long the last one took. */
  #size: number;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#size = options.portion / FIRST_PART;
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
    const { take, portion } = this.#options;
    const began = performance.now();
    const problems = await take(lines);
    this.#size = Math.min(portion, weight * LONGEST_MS / (performance.now() - began));
    this.#taken += lines.length - problems.size;
    for (const [place, problem] of problems) {
      const line = numbers[place] ?? NaN;
      throw new ImportError(problem.detail, { line, taken: this.#taken, problem });
    }
  }

  #read({ number, text, flaw }: NumberedLine): void {
    if (flaw !== undefined) throw new LineError(flaw);
    if (this.#ended) throw new LineError("it comes after the last line of an export");
    const told = LAST_LINE.exec(text)?.[1];
    if (told !== undefined) return this.#end(Number(told));
    const line = parseLine(text, { today: this.#options.today });
    this.#lines.push(line);
    this.#numbers.push(number);
    this.#days += line.days?.hits.length ?? 0;
  }

  /** The last line of an export tells how many came before it: so a part that is missing is noticed. */
  #end(told: number): void {
    const before = this.#taken + this.#lines.length;
    if (told !== before) {
      throw new LineError(`it tells of ${told} counters, but ${before} came before it`);
    }
    this.#ended = true;
  }
}
