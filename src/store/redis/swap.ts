import type { CounterState, Day } from "../../counter/days.ts";
import { MAX_HITS, type Write } from "../../counter/store.ts";
import { Problem } from "../../problem.ts";
import { type CounterRecord, type Plan, planWrite, type Writes } from "../planner.ts";
import {
  formatLedger,
  formatReport,
  formatYear,
  parseRecord,
  relatedKey,
  type StoredTexts,
} from "./layout.ts";
import type { RedisReading, RedisStoreOptions } from "./reading.ts";
import { type Command, problemOf } from "./reply.ts";
import { EPOCH_SECONDS, scriptCall, sendScripts } from "./scripts.ts";

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

/** A write with the key of its counter, and the day on which it is planned. */
interface Change {
  readonly key: string;
  readonly update: Write["update"];
  readonly today: Day;
}

type WriteOutcome = CounterState | Problem;

/**
 * Sets and deletes counters by compare-and-set. Reads their entries, plans, and swaps the entries
 * if they are still as they were read.
 */
export class RedisSwap {
  readonly #options: RedisStoreOptions;
  readonly #reading: RedisReading;

  constructor(options: RedisStoreOptions, reading: RedisReading) {
    this.#options = options;
    this.#reading = reading;
  }

  /**
   * See `CounterStore.write`. A write fails with `store-unavailable` if nothing of it was stored,
   * and with `outcome-unknown` if it may have been stored.
   */
  async write(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    const { calendar, prefix } = this.#options;
    const today = calendar.today();
    const changes = writes.map(({ id, update }) => ({ key: prefix + id, update, today }));
    const outcomes: Promise<WriteOutcome[]>[] = [];
    let entries = this.#read(changes.slice(0, PIECE));
    for (let start = 0; start < changes.length; start += PIECE) {
      const read = await entries;
      entries = this.#read(changes.slice(start + PIECE, start + 2 * PIECE));
      outcomes.push(this.#store(changes.slice(start, start + PIECE), read));
    }
    return (await Promise.all(outcomes)).flat();
  }

  #read(changes: readonly Change[]): Promise<readonly (StoredTexts | Problem)[]> {
    return this.#reading.entries(changes.map(({ key }) => ({ key, since: -Infinity })));
  }

  async #store(
    changes: readonly Change[],
    entries: readonly (StoredTexts | Problem)[],
    attempt = 1,
  ): Promise<WriteOutcome[]> {
    const outcomes: WriteOutcome[] = [];
    const swaps = changes.flatMap((change, index) => {
      const texts = entries[index] ?? new Problem("store-unavailable");
      if (texts instanceof Problem) {
        outcomes[index] = texts;
        return [];
      }
      const record = parseRecord(texts);
      const { result, writes } = planOf(change, record);
      outcomes[index] = result;
      if (writes === undefined) return [];
      const command = commandOf(change, { texts, record, writes, isHot: attempt > 1 });
      return [{ change, index, record, command }];
    });
    if (swaps.length === 0) return outcomes;
    const replies = await sendScripts(this.#options.link, swaps.map(({ command }) => command));
    const failed = swaps.filter(({ change, index, record }, at) => {
      const reply = replies[at];
      if (reply?.kind !== "done") outcomes[index] = problemOf(reply, "outcome-unknown");
      else if (reply.value === null) {
        const cause = new Error(`The counter was changed during each of ${MAX_ATTEMPTS} attempts`);
        outcomes[index] = new Problem("store-unavailable", { cause });
        return true;
      } else if (record.exists && Number(reply.value) !== record.total) {
        outcomes[index] = planOf(change, { ...record, total: Number(reply.value) }).result;
      }
      return false;
    });
    if (failed.length === 0 || attempt === MAX_ATTEMPTS) return outcomes;
    const again = failed.map(({ change }) => change);
    const retried = await this.#store(again, await this.#read(again), attempt + 1);
    const retriedOutcomes = new Map(failed.map(({ index }, at) => [index, retried[at]]));
    return outcomes.map((outcome, index) => retriedOutcomes.get(index) ?? outcome);
  }
}

function planOf({ update, today }: Change, record: CounterRecord): Plan<CounterState> {
  const { result, writes } = planWrite(record, update, today);
  // A ledger without a total is left from a counter that was deleted.
  const isEmpty = !record.exists && !(result instanceof Problem);
  return { result: isEmpty ? { ...result, hits: 0, days: undefined } : result, writes };
}

/** Returns the swap of a change. It tolerates hits in between only if the counter is hot. */
function commandOf(
  change: Change,
  { texts, record, writes, isHot }: {
    texts: StoredTexts;
    record: CounterRecord;
    writes: Writes;
    isHot: boolean;
  },
): Command {
  const { keys, args } = swapOf(change, texts, writes);
  if (writes.total === undefined) return scriptCall("swap", keys, [MAX_HITS, ...args]);
  if (isHot && record.exists && typeof record.total === "number") {
    const later = planOf(change, { ...record, total: record.total + TOLERATED_HITS }).writes;
    const marked = later && withMarks(args, swapOf(change, texts, later).args);
    if (marked !== undefined) return scriptCall("swap", keys, [TOLERATED_HITS, ...marked]);
  }
  return scriptCall("swap", keys, [0, ...args]);
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
  { key, today }: Change,
  texts: StoredTexts,
  { total, history, report }: Writes,
): Swap {
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
    put(relatedKey(key, "days"), texts.ledger, `${TOMBSTONE_SECONDS}=${today} 0 x`);
    // Later idempotency keys have the epoch in their name. The earlier ones, which expire within a
    // day, are not found.
    const epoch = crypto.getRandomValues(new Uint8Array(6)).toHex();
    put(relatedKey(key, "epoch"), undefined, `${EPOCH_SECONDS}=${epoch}`);
    // At UTC-12 it is still the day before yesterday of UTC+14.
    for (let day = today - 2; day <= today + 2; day++) {
      put(relatedKey(key, `seen${day}`), undefined, "-");
    }
  } else {
    const text = history?.ledger && formatLedger(history.ledger);
    put(
      relatedKey(key, "days"),
      texts.ledger,
      text === undefined || text === texts.ledger ? "" : `=${text}`,
    );
  }
  const years = new Map(history?.years.map((entry) => [entry.year, `=${formatYear(entry)}`]));
  for (const year of history?.deletedYears ?? []) years.set(year, "-");
  // Compared even if they stay: two imports with `mode=max` may change a year and leave the ledger
  // as it was.
  for (const year of new Set([...texts.years.keys(), ...years.keys()])) {
    put(relatedKey(key, `days${year}`), texts.years.get(year), years.get(year) ?? "");
  }
  if (report !== undefined) {
    put(
      relatedKey(key, "report"),
      texts.report,
      report === null ? "-" : `=${formatReport(report)}`,
    );
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
