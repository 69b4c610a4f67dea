import { Problem } from "../problem.ts";
import { type CounterState, type Day, type Days, largest, padToDay } from "./days.ts";
import { MAX_HITS } from "./store.ts";

/** What the days of a counter may add up to at most if that is more than its total: 2^52. */
export const MOST_BEYOND_TOTAL = 2 ** 52;

/** What an owner wants a counter to hold. */
export interface Update {
  /** Undefined in the mode "max" alone, with days: the total grows by as much as these do. */
  readonly hits: number | undefined;
  /** The days that it shall have: if undefined, the known ones stay. */
  readonly days: Days | undefined;
  /** Whether this takes the place of what is there, or the larger of the two does, in the total and in each day. */
  readonly mode: "replace" | "max";
}

/** What an update makes of a counter: from then on it has days, and its newest day is `today` at least. */
export function applyUpdate(
  { hits, days, mode }: Update,
  { held, today }: { held: CounterState; today: Day },
): { hits: number; days: Days } {
  const known = held.days ?? { newest: today, hits: [] };
  const chosen = days === undefined ? known : mode === "max" ? largest(known, days) : days;
  const grown = held.hits + (sumOf(chosen) - sumOf(known));
  return {
    hits: hits === undefined ? grown : mode === "max" ? Math.max(hits, held.hits) : hits,
    // The open day never goes back.
    days: padToDay(chosen, Math.max(today, known.newest)),
  };
}

/** Why an update is refused that would make this of a counter; undefined if it is not. */
export function refusalOf({ hits, days }: { hits: number; days: Days }): Problem | undefined {
  if (hits > MAX_HITS) return new Problem("counter-full");
  return staysExact({ hits, days }) ? undefined : tooManyDays();
}

/**
 * Whether days can be added up exactly, now and after any number of hits that can ever come: these raise the total too,
 * which ends at 2^53-1, and nobody hits a counter 2^52 times.
 */
export function staysExact({ hits, days }: { hits: number; days: Days }): boolean {
  return sumOf(days) <= Math.max(hits, MOST_BEYOND_TOTAL);
}

function sumOf({ hits }: Days): number {
  return hits.reduce((sum, number) => sum + number, 0);
}

/** Why a counter was left as it was whose days would not stay exact. */
export function tooManyDays(cause?: unknown): Problem {
  return new Problem("counter-full", {
    detail: "Its days would add up to more than can be counted exactly. It was left unchanged.",
    cause,
  });
}
