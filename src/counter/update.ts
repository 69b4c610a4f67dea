import { Problem } from "../problem.ts";
import { type CounterState, type Day, type Days, largest, padToDay } from "./days.ts";
import { MAX_HITS, type Update } from "./store.ts";

/** Maximum sum of the days of a counter if its total is smaller. */
export const MAX_BEYOND_TOTAL = 2 ** 52;

/**
 * Returns a counter after an update. It has days then, and its newest day is `today` or later, as
 * it was before.
 */
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

/** Returns the problem of a counter that no update may result in, or undefined. */
export function refusalOf({ hits, days }: { hits: number; days: Days }): Problem | undefined {
  if (hits > MAX_HITS) return new Problem("counter-full");
  return staysExact({ hits, days }) ? undefined : tooManyDays();
}

/**
 * Reports whether the days of a counter can be added up exactly, now and after any number of hits.
 * Later hits raise the total too, which ends at 2^53-1. A counter gets fewer than 2^52 hits.
 */
export function staysExact({ hits, days }: { hits: number; days: Days }): boolean {
  return sumOf(days) <= Math.max(hits, MAX_BEYOND_TOTAL);
}

function sumOf({ hits }: Days): number {
  return hits.reduce((sum, number) => sum + number, 0);
}

/** Returns the problem of a counter that was left unchanged to keep its days exact. */
export function tooManyDays(cause?: unknown): Problem {
  return new Problem("counter-full", {
    detail: "Its days would add up to more than can be counted exactly. It was left unchanged.",
    cause,
  });
}
