import type { Calendar } from "../../counter/calendar.ts";
import type { Day } from "../../counter/days.ts";
import { Problem } from "../../problem.ts";
import type { CounterRecord, Plan, Writes } from "../planner.ts";
import {
  formatLedger,
  formatReport,
  formatYear,
  ledgerKey,
  parseRecord,
  relatedKey,
  reportKey,
  type StoredTexts,
  yearKey,
} from "./layout.ts";
import type { RedisReading } from "./reading.ts";
import { type Command, problemOf } from "./reply.ts";
import { EPOCH_SECONDS, type RedisCommands } from "./scripts.ts";

/** Maximum number of plans of a change, after which other clients have changed it too often. */
const MAX_ATTEMPTS = 50;
/** Number of changes that Redis stores while the next ones are planned. */
const PIECE = 250;
/** Maximum number of hits between the plan of a change and its swap. */
const TOLERATED_HITS = 10_000;
/**
 * Time for which the ledger of a deleted counter is kept, in seconds. A process may take its day to
 * be open for two days.
 */
const TOMBSTONE_SECONDS = 172_800;

/**
 * A change of one counter: `plan` is pure, and is called again if the counter has changed since it
 * was read.
 */
export interface Change<Result> {
  readonly key: string;
  plan(record: CounterRecord): Plan<Result>;
}

interface SwapOptions {
  commands: RedisCommands;
  reading: RedisReading;
  calendar: Calendar;
}

/**
 * Changes counters by compare-and-set: reads their entries, plans, and swaps the entries if they
 * are still as they were read.
 */
export class RedisSwap {
  readonly #options: SwapOptions;

  constructor(options: SwapOptions) {
    this.#options = options;
  }

  /**
   * Returns the results of changes of different counters, in their order. A change fails with
   * `store-unavailable` if nothing of it was stored, and with `outcome-unknown` if it may have been
   * stored.
   */
  async run<Result>(changes: readonly Change<Result>[]): Promise<(Result | Problem)[]> {
    const results: Promise<(Result | Problem)[]>[] = [];
    let entries = this.#read(changes.slice(0, PIECE));
    for (let start = 0; start < changes.length; start += PIECE) {
      const read = await entries;
      entries = this.#read(changes.slice(start + PIECE, start + 2 * PIECE));
      results.push(this.#store(changes.slice(start, start + PIECE), read));
    }
    return (await Promise.all(results)).flat();
  }

  #read<Result>(changes: readonly Change<Result>[]): Promise<readonly (StoredTexts | Problem)[]> {
    return this.#options.reading.entries(changes.map(({ key }) => ({ key, since: -Infinity })));
  }

  async #store<Result>(
    changes: readonly Change<Result>[],
    entries: readonly (StoredTexts | Problem)[],
    attempt = 1,
  ): Promise<(Result | Problem)[]> {
    const results: (Result | Problem)[] = [];
    const attempts = changes.flatMap((change, index) => {
      const texts = entries[index] ?? new Problem("store-unavailable");
      if (texts instanceof Problem) {
        results[index] = texts;
        return [];
      }
      const record = parseRecord(texts);
      const { result, writes } = change.plan(record);
      results[index] = result;
      if (writes === undefined) return [];
      const isHot = attempt > 1;
      const command = this.#commandOf(change, { texts, record, writes, isHot });
      return [{ change, index, record, command }];
    });
    if (attempts.length === 0) return results;
    const replies = await this.#options.commands.send(attempts.map(({ command }) => command));
    const failed = attempts.filter(({ change, index, record }, at) => {
      const reply = replies[at];
      if (reply?.kind !== "done") results[index] = problemOf(reply, "outcome-unknown");
      else if (reply.value === null) {
        const cause = new Error(`The counter was changed during each of ${MAX_ATTEMPTS} attempts`);
        results[index] = new Problem("store-unavailable", { cause });
        return true;
      } else if (record.exists && Number(reply.value) !== record.total) {
        results[index] = change.plan({ ...record, total: Number(reply.value) }).result;
      }
      return false;
    });
    if (failed.length === 0 || attempt === MAX_ATTEMPTS) return results;
    const again = failed.map(({ change }) => change);
    const retried = await this.#store(again, await this.#read(again), attempt + 1);
    failed.forEach(({ index }, at) =>
      results[index] = retried[at] ?? new Problem("store-unavailable")
    );
    return results;
  }

  /** Returns the swap of a change. It tolerates hits in between only if the counter is hot. */
  #commandOf<Result>(
    { key, plan }: Change<Result>,
    { texts, record, writes, isHot }: {
      texts: StoredTexts;
      record: CounterRecord;
      writes: Writes;
      isHot: boolean;
    },
  ): Command {
    const { calendar, commands } = this.#options;
    const today = calendar.today();
    const { keys, args } = swapOf(key, { texts, writes, today });
    let tolerance = 0;
    let values = args;
    if (writes.total === undefined) tolerance = Number.MAX_SAFE_INTEGER;
    else if (isHot && record.exists && typeof record.total === "number") {
      const later = plan({ ...record, total: record.total + TOLERATED_HITS }).writes;
      const marked = later && withMarks(args, swapOf(key, { texts, writes: later, today }).args);
      if (marked !== undefined) [tolerance, values] = [TOLERATED_HITS, marked];
    }
    return commands.call("swap", { keys, args: [tolerance, ...values] });
  }
}

/** The keys of a swap, and the expected and the new value of each: the total comes first. */
interface Swap {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/**
 * Returns the swap of the total, the ledger, the years and the report. A deletion also replaces the
 * epoch of idempotency keys, and deletes the visitors.
 */
function swapOf(
  key: string,
  { texts, writes: { total, history, report }, today }: {
    texts: StoredTexts;
    writes: Writes;
    today: Day;
  },
): Swap {
  const ledger = ledgerKey(key);
  const keys: string[] = [];
  const args: string[] = [];
  /** Adds a key whose stored value is compared, unless it is undefined. */
  function put(name: string, stored: string | null | undefined, value: string): void {
    keys.push(name);
    args.push(stored === undefined ? "" : stored === null ? "-" : `=${stored}`, value);
  }

  put(key, texts.total, total === undefined ? "-" : `=${total}`);
  if (total === undefined) {
    // A process that takes the day to be open may still add plain hits, which belong to this
    // ledger.
    put(ledger, texts.ledger, `${TOMBSTONE_SECONDS}=${today} 0 x`);
    // Later idempotency keys have the epoch in their name. The earlier ones, which expire within a
    // day, are not found.
    const epoch = crypto.getRandomValues(new Uint8Array(6)).toHex();
    put(relatedKey(ledger, "epoch"), undefined, `${EPOCH_SECONDS}=${epoch}`);
    // At UTC-12 it is still the day before yesterday of UTC+14.
    for (let day = today - 2; day <= today + 2; day++) {
      put(relatedKey(ledger, `seen${day}`), undefined, "-");
    }
  } else {
    const text = history?.ledger && formatLedger(history.ledger);
    put(ledger, texts.ledger, text === undefined || text === texts.ledger ? "" : `=${text}`);
  }
  const years = new Map(history?.years.map((entry) => [entry.year, `=${formatYear(entry)}`]));
  for (const year of history?.deletedYears ?? []) years.set(year, "-");
  // Compared even if they stay: two imports with `mode=max` may change a year and leave the ledger
  // as it was.
  for (const year of new Set([...texts.years.keys(), ...years.keys()])) {
    put(yearKey(ledger, year), texts.years.get(year), years.get(year) ?? "");
  }
  if (report !== undefined) {
    put(reportKey(ledger), texts.report, report === null ? "-" : `=${formatReport(report)}`);
  }
  return { keys, args };
}

/**
 * Returns the arguments of a swap with marks on the numbers that follow the hits that arrive until
 * the swap, `+` if they grow with them and `~` if they shrink. `later` is planned for
 * `TOLERATED_HITS` more. Returns undefined if the two differ in anything else.
 *
 * Comparing both ends is enough. Each number is a sum of a constant, the total, and at most two
 * terms such as "the total or this constant, whichever is larger". So it has at most one stretch in
 * which it follows the hits, up or down. It moved by all of the hits only if it followed each of
 * them, and by none only if it did not move at all.
 */
function withMarks(args: readonly string[], later: readonly string[]): string[] | undefined {
  if (args.length !== later.length) return undefined;
  const marked = args.map((arg, at) => {
    const other = later[at] ?? "";
    if (arg === other) return arg;
    if (!arg.startsWith("=") || !other.startsWith("=")) return undefined;
    const words = arg.slice(1).split(" ");
    const others = other.slice(1).split(" ");
    const marks = words.map((word, index) => {
      if (word === others[index]) return word;
      const moved = Number(others[index]) - Number(word);
      return Math.abs(moved) === TOLERATED_HITS ? word + (moved > 0 ? "+" : "~") : undefined;
    });
    return words.length !== others.length || marks.includes(undefined)
      ? undefined
      : `=${marks.join(" ")}`;
  });
  return marked.every((arg) => arg !== undefined) ? marked : undefined;
}
