import type { Failure } from "./errors.ts";
import type { CounterId } from "./counter_id.ts";
import type { CounterState, DatedReport, Day, Days } from "./history.ts";

/**
 * Maximum number of a counter. It is half of what JSON readers keep exact (RFC 8259, section 6), so
 * that sums of a total and of days are exact as well. Hits alone never get there.
 */
export const MAX_HITS = 2 ** 52;

/** The kind of a store, as responses name it. */
export type Source = "redis" | "deno-kv" | "memory";

/** A number of hits of one counter. */
export interface Addition {
  readonly id: CounterId;
  /** A whole number from 1. */
  readonly amount: number;
}

/** The keys by which a hit is recognized as a repeat. */
export interface DeduplicationKeys {
  /** The idempotency key. A hit with the same key within 24 hours is a repeat. */
  readonly key?: string;
  /** The code of a visitor, different for each counter. Later hits on the same day are repeats. */
  readonly visitor?: string;
  /** True if a new visitor is stored. */
  readonly remember?: boolean;
}

/** The outcome of a hit with deduplication keys. */
export interface OnceOutcome {
  /**
   * The number of the hit. For a repeat, the number of the first hit with its idempotency key, or
   * the current total if it is recognized by its visitor.
   */
  readonly hits: number;
  /** True if the hit is not counted. */
  readonly repeat: boolean;
}

/** Hits of one counter with their {@linkcode DeduplicationKeys}, in order. */
export interface OnceAddition {
  readonly id: CounterId;
  readonly hits: readonly DeduplicationKeys[];
}

/** A change of a counter by its owner. */
export interface Update {
  /**
   * Undefined only in the modes `max` and `add`. With days, the total then grows by as much as they
   * do. With a report, it grows by as much as the other service counted since the last one.
   */
  readonly hits: number | undefined;
  /** In place of the hits in the mode `max`: the hits before the first known day, at least. */
  readonly older?: number | undefined;
  /** Undefined if the known days stay. */
  readonly days: Days | undefined;
  /** The known days before this one stay. Undefined in the mode `replace` if none do. */
  readonly since?: Day | undefined;
  /**
   * The mode `replace` sets the total and the days. The mode `max` keeps the larger number of the
   * old and the new one, in the total and in each day. The mode `add` adds both, which may be
   * negative.
   */
  readonly mode: "replace" | "max" | "add";
  /** The name of an addition. One with the same name changes nothing within 24 hours. */
  readonly name?: string | undefined;
  /** Undefined if the last report stays. Null removes it. The others keep the later one. */
  readonly report?: DatedReport | null | undefined;
}

/**
 * An update of a counter, its deletion, which leaves it as if it had never been hit, or its move,
 * which adds its total and days to those of another id and keeps its deduplication keys.
 */
export interface Write {
  readonly id: CounterId;
  /** Undefined deletes or moves it. */
  readonly update: Update | undefined;
  /** The id to which it is moved. */
  readonly to?: CounterId;
}

/** The number of a counter, or the failure of this id alone. */
export type Outcome = number | Failure;

/** A counter to read with its days, from `since` on at least. */
export interface HistoryQuery {
  readonly id: CounterId;
  readonly since: Day;
}

/** The prefix of the ids to list. Days are included from `since` on, or none if it is undefined. */
export interface ListOptions {
  readonly prefix: string;
  readonly since: Day | undefined;
}

/** A page of a list. */
export interface ListPage {
  readonly counters: readonly ListedCounter[];
  /** Number of keys in this page that hold something other than a counter. */
  readonly foreign: number;
}

/** A counter of a list. */
export interface ListedCounter extends CounterState {
  readonly id: CounterId;
}

/** The settings of a store that may lose counters, each with a sentence that says what to set. */
export type Risks = ReadonlyMap<string, string>;

/** The properties of a store that are known before it is open. */
export interface StoreTraits {
  readonly source: Source;
  /** Maximum number of batches of each kind in flight. */
  readonly batches: number;
  /** Maximum number of ids in a batch. */
  readonly idsPerBatch: number;
  /** True if counters are sorted by id, so that a list with a prefix passes over no others. */
  readonly sortedById: boolean;
}

/** A store of counters. The same tests run against every store. */
export type CounterStore = StoreTraits & StoreCalls;

/**
 * The calls to a store that is open.
 *
 * A counter that was never hit is 0, and reading it writes nothing. A value that is not a whole
 * number from 0 to {@linkcode MAX_HITS} is the outcome `not-a-counter` of its id and is left as it
 * is. Outcomes are in the order of the arguments, and a call has each id once.
 *
 * A call that throws has failed for all its ids. It throws `store-unavailable` if nothing was
 * counted, and `outcome-unknown` if something may have been. A call with an unknown outcome is
 * never sent again.
 */
export interface StoreCalls {
  /**
   * Adds hits to the current day. Resolves with the new totals when they are as durable as the
   * store promises. An addition beyond {@linkcode MAX_HITS} is the outcome `counter-full`.
   */
  add(additions: readonly Addition[]): Promise<readonly Outcome[]>;
  /** Adds hits unless they are repeats. Deduplication keys are stored in one step with them. */
  addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Failure)[]>;
  /** Sets, deletes and moves counters. Resolves with the previous states of their ids. */
  write(writes: readonly Write[]): Promise<readonly (CounterState | Failure)[]>;
  /** Resolves with a random text that all processes share on a day. It is deleted after the day. */
  salt(day: Day): Promise<string>;
  /** Resolves with the totals of counters, which include all hits acknowledged before the call. */
  read(ids: readonly CounterId[]): Promise<readonly Outcome[]>;
  /** Resolves with the states of counters, each as it was at one instant. */
  history(questions: readonly HistoryQuery[]): Promise<readonly (CounterState | Failure)[]>;
  /**
   * Lists every counter once, as it was at some instant during the list. No counter that existed
   * throughout is missing. Reads no further than its caller. Throws `store-unavailable`.
   *
   * A page may be empty. Each must be yielded within two seconds, after which the caller assumes
   * that the store hangs.
   */
  list(options: ListOptions): AsyncGenerator<ListPage>;
  /** Returns a total that this process knows without a read, because no other process writes. */
  known?(id: CounterId): number | undefined;
  /**
   * Resolves with the names of the shards that accept no hits now. Throws `store-unavailable` if
   * none does.
   */
  check(): Promise<readonly string[]>;
  /** Returns what was found last. Stores without such settings have none. */
  risks?(): Risks;
  /** Closes the store, once, when no call waits for it any more. */
  close(): Promise<void>;
}
