import { type Day, type Days, type Held, largest, upTo } from "./days.ts";

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
