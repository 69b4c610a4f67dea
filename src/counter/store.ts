import { Problem } from "../problem.ts";
import type { CounterId } from "./counter_id.ts";
import type { CounterState, Day } from "./days.ts";
import type { DeduplicationKeys, OnceOutcome } from "./once.ts";
import type { Update } from "./update.ts";

/** The largest number that a counter may hold: the largest that JSON readers keep exactly (RFC 8259, section 6). */
export const MAX_HITS = Number.MAX_SAFE_INTEGER;

/** What holds the counters, as `/hit` and `/count` name it. */
export type Source = "redis" | "deno-kv" | "memory";

/** So many hits of one counter. */
export interface Addition {
  readonly id: CounterId;
  /** A whole number from 1. */
  readonly amount: number;
}

/** Hits of one counter that are each counted once, in this order; see {@linkcode DeduplicationKeys}. */
export interface OnceAddition {
  readonly id: CounterId;
  readonly hits: readonly DeduplicationKeys[];
}

/** An update of a counter, or its deletion: after that it is as if it had never been hit. */
export interface Write {
  readonly id: CounterId;
  /** Undefined deletes it. */
  readonly update: Update | undefined;
}

/** The number that a counter holds, or why there is none for this id alone. */
export type Outcome = number | Problem;

/** A counter to read with its days, from `since` on at least. */
export interface HistoryQuery {
  readonly id: CounterId;
  readonly since: Day;
}

/** Which counters to list: those whose id begins with the prefix, with their days from `since` on, or with none. */
export interface ListOptions {
  readonly prefix: string;
  readonly since: Day | undefined;
}

/** Some counters of a list. */
export interface ListPage {
  readonly counters: readonly ListedCounter[];
  /** How many keys were passed over that hold something else than a counter. */
  readonly foreign: number;
}

/** A counter of a list. */
export interface ListedCounter extends CounterState {
  readonly id: CounterId;
}

/**
 * Keeps counters; the same suite of tests runs against every store.
 *
 * A counter that was never hit is 0, and reading it writes nothing. What is held under an id but is not a whole number
 * from 0 to {@linkcode MAX_HITS} is the outcome "not-a-counter" of that id alone and is left as it is. Outcomes stand in
 * the order of what was asked for, and no id may be asked for twice in one call. A call that
 * rejects does so with a problem that holds for all its ids: "store-unavailable" where surely nothing was counted,
 * "outcome-unknown" where it may have been. No call is ever repeated whose outcome is unknown.
 */
export interface CounterStore {
  readonly source: Source;
  /** How many batches of each kind may be under way at once. */
  readonly batches: number;
  /** How many ids a batch may hold. */
  readonly idsPerBatch: number;
  /** How many lines of an import are worth taking together; all of them are in memory then. */
  readonly importPortion: number;
  /** Whether they are better set in the order of their ids, as counters with similar ids lie near each other. */
  readonly importById: boolean;
  /**
   * Adds hits, which belong to the day on which this is called; the new numbers, once they are as durable as the store
   * promises. An addition past {@linkcode MAX_HITS} is the outcome "counter-full".
   */
  add(additions: readonly Addition[]): Promise<readonly Outcome[]>;
  /** The same for hits that count once: their deduplication keys are stored in one step with them. */
  addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Problem)[]>;
  /** Sets and deletes counters, which is no hit; what they held before. */
  write(writes: readonly Write[]): Promise<readonly (CounterState | Problem)[]>;
  /** A random text of a day: the same for all who ask on that day, and gone after it. */
  salt(day: Day): Promise<string>;
  /** The numbers of counters: each at least what was acknowledged before the call. */
  read(ids: readonly CounterId[]): Promise<readonly Outcome[]>;
  /** What counters hold, each as it was at one instant. */
  history(questions: readonly HistoryQuery[]): Promise<readonly (CounterState | Problem)[]>;
  /**
   * Every counter: once each, as it was at some instant while this runs; none is missing that was there throughout. Goes
   * no further than it is asked for; throws "store-unavailable".
   */
  list(options: ListOptions): AsyncGenerator<ListPage>;
  /** The number of a counter if this process is sure of it without reading, as the only one that writes. */
  known?(id: CounterId): number | undefined;
  /** The number that this process read or wrote last. A store that keeps no numbers itself lacks this: its caller keeps them. */
  lastSeen?(id: CounterId): number | undefined;
  /**
   * Resolves where the store would take a hit right now, with the names of the shards that would not; rejects with
   * "store-unavailable" where none would.
   */
  check(): Promise<readonly string[]>;
  /** Lets go of the store, to be called when nobody waits for it any more; calling it again changes nothing. */
  close(): Promise<void>;
}

/** Waits for a store, but so many milliseconds at most: then it rejects with "store-unavailable", and the call goes on. */
export async function withTimeout<Result>(
  milliseconds: number,
  call: Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Problem("store-unavailable")), milliseconds);
  try {
    return await Promise.race([call, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
