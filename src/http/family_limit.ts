import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import { Problem } from "../problem.ts";
import type { FamilyPrefix } from "./family.ts";
import type { Found } from "./found.ts";

/** How many counters the key of a family may begin in one process and day. */
const MAX_BEGUN = 10_000;

/** Counts a hit that the key of a family opened. */
export type FamilyHits = (
  of: { id: CounterId; prefix: FamilyPrefix },
  count: () => Promise<Found>,
) => Promise<Found>;

/** A bound to what strangers can do with the key of a family, which stands in public: they could fill the store. */
export function limitFamilies(counters: Counters): FamilyHits {
  const begun = new Map<FamilyPrefix, number>();
  let day = counters.calendar.today();

  function begunToday(prefix: FamilyPrefix): number {
    const today = counters.calendar.today();
    if (today !== day) begun.clear();
    day = today;
    return begun.get(prefix) ?? 0;
  }

  return async ({ id, prefix }, count) => {
    const isFull = begunToday(prefix) >= MAX_BEGUN;
    if (isFull && await counters.count(id) === 0) throw new Problem("family-full");
    const found = await count();
    if (found === 1) begun.set(prefix, begunToday(prefix) + 1);
    return found;
  };
}
