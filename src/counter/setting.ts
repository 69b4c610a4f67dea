import { Problem } from "../problem.ts";
import { type Day, type Days, type Held, largest, upTo } from "./days.ts";

/** What the days of a counter may add up to at most where that is more than its total: 2^52. */
export const MOST_BEYOND_TOTAL = 2 ** 52;

/** What a counter shall hold. */
export interface Setting {
  readonly hits: number;
  /** The days that it shall have: those that are known stay where this is undefined. */
  readonly days: Days | undefined;
  /** Whether this takes the place of what is there, or the larger of the two does, in the total and in each day. */
  readonly mode: "replace" | "max";
}

/** What a setting makes of a counter: from then on it has days, and its newest day is `today` at least. */
export function applied(
  { hits, days, mode }: Setting,
  { held, today }: { held: Held; today: Day },
): { hits: number; days: Days } {
  const known = held.days ?? { newest: today, hits: [] };
  const chosen = days === undefined ? known : mode === "max" ? largest(known, days) : days;
  return {
    hits: mode === "max" ? Math.max(hits, held.hits) : hits,
    // The open day never goes back.
    days: upTo(chosen, Math.max(today, known.newest)),
  };
}

/**
 * Whether days can be added up exactly, now and after any number of hits that can ever come: these raise the total too,
 * which ends at 2^53-1, and nobody hits a counter 2^52 times.
 */
export function staysExact({ hits, days }: { hits: number; days: Days }): boolean {
  const sum = days.hits.reduce((sum, number) => sum + number, 0);
  return sum <= Math.max(hits, MOST_BEYOND_TOTAL);
}

/** Why a counter was left as it was whose days would not stay exact. */
export function tooManyDays(cause?: unknown): Problem {
  return new Problem("counter-full", {
    detail: "Its days would add up to more than can be counted exactly; it was left as it is.",
    cause,
  });
}
