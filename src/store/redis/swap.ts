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
    const { commands, reading } = this.#options;
    const results: (Result | Problem)[] = [];
    let pending = changes.map((change, index) => ({ change, index }));
    for (let attempt = 0; attempt < MAX_ATTEMPTS && pending.length > 0; attempt++) {
      const entries = await reading.entries(pending.map(({ change: { key } }) => {
        return { key, since: -Infinity };
      }));
      const attempts = pending.flatMap(({ change, index }, at) => {
        const texts = entries[at] ?? new Problem("store-unavailable");
        if (texts instanceof Problem) {
          results[index] = texts;
          return [];
        }
        const record = parseRecord(texts);
        const { result, writes } = change.plan(record);
        if (writes === undefined) {
          results[index] = result;
          return [];
        }
        const command = this.#commandOf(change, { texts, record, writes });
        return [{ change, index, record, command }];
      });
      if (attempts.length === 0) return results;
      const replies = await commands.send(attempts.map(({ command }) => command));
      pending = attempts.filter(({ change, index, record }, at) => {
        const reply = replies[at];
        if (reply?.kind !== "done") results[index] = problemOf(reply, "outcome-unknown");
        else if (reply.value === null) return true;
        else results[index] = resultAt(reply.value, change, record);
        return false;
      });
    }
    for (const { index } of pending) {
      const cause = new Error(`The counter was changed during each of ${MAX_ATTEMPTS} attempts`);
      results[index] = new Problem("store-unavailable", { cause });
    }
    return results;
  }

  #commandOf<Result>(
    { key, plan }: Change<Result>,
    { texts, record, writes }: { texts: StoredTexts; record: CounterRecord; writes: Writes },
  ): Command {
    const { calendar, commands } = this.#options;
    const today = calendar.today();
    const values = newValues(key, { texts, writes, today });
    let tolerance = 0;
    if (writes.total === undefined) tolerance = Number.MAX_SAFE_INTEGER;
    else if (record.exists && typeof record.total === "number") {
      const later = plan({ ...record, total: record.total + TOLERATED_HITS }).writes;
      const moved = later && newValues(key, { texts, writes: later, today });
      if (moved !== undefined && followHits(values, moved)) tolerance = TOLERATED_HITS;
    }
    return commands.call("swap", {
      keys: [...values.keys()],
      args: [
        tolerance,
        ...values.values().flatMap(({ expected, value, ttl }) => [expected, value, ttl]),
      ],
    });
  }
}

/** The expected and the new value of a key, in the form of the arguments of a swap. */
interface NewValue {
  readonly expected: string;
  value: string;
  readonly ttl: string | number;
}

/**
 * Returns the values of a swap by their keys: the total, the ledger, the years and the report. A
 * deletion also replaces the epoch of idempotency keys, and deletes the visitors.
 */
function newValues(
  key: string,
  { texts, writes: { total, history, report }, today }: {
    texts: StoredTexts;
    writes: Writes;
    today: Day;
  },
): Map<string, NewValue> {
  const ledger = ledgerKey(key);
  const values = new Map<string, NewValue>();
  function put(
    name: string,
    { stored, value = "", ttl = "" }: {
      /** Undefined if any value will do. */
      stored: string | null | undefined;
      value?: string;
      ttl?: string | number;
    },
  ): void {
    const expected = stored === undefined ? "" : stored === null ? "-" : `=${stored}`;
    values.set(name, { expected, value, ttl });
  }

  const newTotal = total === undefined ? "-" : `=${total}`;
  put(key, { stored: texts.total, value: newTotal, ttl: "KEEPTTL" });
  put(ledger, { stored: texts.ledger });
  // Compared even if they stay: two imports with `mode=max` may change a year and leave the ledger
  // as it was.
  for (const [year, stored] of texts.years) put(yearKey(ledger, year), { stored });
  for (const entry of history?.years ?? []) {
    const stored = texts.years.get(entry.year);
    const text = formatYear(entry);
    if (text !== stored) put(yearKey(ledger, entry.year), { stored, value: `=${text}` });
  }
  for (const year of history?.deletedYears ?? []) {
    put(yearKey(ledger, year), { stored: texts.years.get(year), value: "-" });
  }
  if (report !== undefined) {
    const value = report === null ? "-" : `=${formatReport(report)}`;
    put(reportKey(ledger), { stored: texts.report, value });
  }
  if (total === undefined) {
    // A process that takes the day to be open may still add plain hits, which belong to this
    // ledger.
    const tombstone = `=${today} 0 x`;
    put(ledger, { stored: texts.ledger, value: tombstone, ttl: TOMBSTONE_SECONDS });
    // Later idempotency keys have the epoch in their name. The earlier ones, which expire within a
    // day, are not found.
    const epoch = `=${crypto.getRandomValues(new Uint8Array(6)).toHex()}`;
    put(relatedKey(ledger, "epoch"), { stored: undefined, value: epoch, ttl: EPOCH_SECONDS });
    // At UTC-12 it is still the day before yesterday of UTC+14.
    for (let day = today - 2; day <= today + 2; day++) {
      put(relatedKey(ledger, `seen${day}`), { stored: undefined, value: "-" });
    }
  } else if (history?.ledger !== undefined) {
    put(ledger, { stored: texts.ledger, value: `=${formatLedger(history.ledger)}` });
  }
  return values;
}

/**
 * Marks the numbers of new values that follow the hits that arrive until the swap. `later` has the
 * values planned for `TOLERATED_HITS` more. Returns false and leaves `values` unusable for more
 * hits if they differ in anything else.
 *
 * Comparing both ends is enough. Each number is a sum of a constant, the total, and at most two
 * terms such as "the total or this constant, whichever is larger". So it has at most one stretch in
 * which it follows the hits, up or down. It moved by all of the hits only if it followed each of
 * them, and by none only if it did not move at all.
 */
function followHits(values: Map<string, NewValue>, later: Map<string, NewValue>): boolean {
  if (values.size !== later.size) return false;
  const marked: [NewValue, string][] = [];
  for (const [key, one] of values) {
    const other = later.get(key)?.value;
    if (one.value === other) continue;
    const text = other === undefined ? undefined : withMarks(one.value, other);
    if (text === undefined) return false;
    marked.push([one, text]);
  }
  for (const [one, text] of marked) one.value = text;
  return true;
}

/** Appends `+` to each number that grows with the hits until the swap, `~` to each that shrinks. */
function withMarks(value: string, later: string): string | undefined {
  if (!value.startsWith("=") || !later.startsWith("=")) return undefined;
  const [words, others] = [value.slice(1).split(" "), later.slice(1).split(" ")];
  if (words.length !== others.length) return undefined;
  const marked = words.map((word, at) => {
    if (word === others[at]) return word;
    const moved = Number(others[at]) - Number(word);
    if (moved === TOLERATED_HITS) return `${word}+`;
    return moved === -TOLERATED_HITS ? `${word}~` : undefined;
  });
  return marked.includes(undefined) ? undefined : `=${marked.join(" ")}`;
}

/** Returns the result for the total that the script found. */
function resultAt<Result>(
  value: unknown,
  { plan }: Change<Result>,
  record: CounterRecord,
): Result | Problem {
  const total = record.exists ? Number(value) : 0;
  return plan({ ...record, total }).result;
}
