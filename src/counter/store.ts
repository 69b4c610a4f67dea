import type { Problem } from "../problem.ts";
import type { CounterId } from "./counter_id.ts";

/** The largest number that a counter may hold: the largest that JSON readers keep exactly (RFC 8259, section 6). */
export const MAX_HITS = Number.MAX_SAFE_INTEGER;

/** What holds the counters, as `/hit` and `/count` name it. */
export type Source = "redis" | "deno-kv" | "memory";

/** What becomes of one counter: all changes pass the same door, so that those of one id keep their order. */
export type Change = Addition;

/** So many hits of one counter. */
export interface Addition {
  readonly kind: "add";
  readonly id: CounterId;
  /** A whole number from 1. */
  readonly amount: number;
}

/** The number that a counter holds, or why there is none for this id alone. */
export type Outcome = number | Problem;

/**
 * Keeps counters; the same suite of tests runs against every store.
 *
 * A counter that was never hit is 0, and reading it writes nothing. What is held under an id but is not a whole number
 * from 0 to {@linkcode MAX_HITS} is the outcome "not-a-counter" of that id alone and is left as it is. A call that
 * rejects does so with a problem that holds for all its ids: "store-unavailable" where surely nothing was counted,
 * "outcome-unknown" where it may have been. No call is ever repeated whose outcome is unknown.
 */
export interface CounterStore {
  readonly source: Source;
  /** How many batches of each kind may be under way at once. */
  readonly batches: number;
  /** How many ids a batch may hold. */
  readonly idsPerBatch: number;
  /**
   * Changes counters and answers with their new numbers, in the order of the changes, once they are as durable as the
   * store promises. An addition past {@linkcode MAX_HITS} is the outcome "counter-full". No id may stand in it twice.
   */
  change(changes: readonly Change[]): Promise<readonly Outcome[]>;
  /** The numbers of counters, in the order of the ids: each at least what was acknowledged before the call. */
  read(ids: readonly CounterId[]): Promise<readonly Outcome[]>;
  /** The number of a counter where this process is sure of it without asking, as the only one that writes. */
  known?(id: CounterId): number | undefined;
  /** Resolves where the store would take a hit right now; rejects with "store-unavailable" where it would not. */
  check(): Promise<void>;
  /** Lets go of the store, to be called when nobody waits for it any more; calling it again changes nothing. */
  close(): Promise<void>;
}
