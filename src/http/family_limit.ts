import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import { Problem } from "../problem.ts";
import type { FamilyPrefix } from "./family.ts";

/** How many counters the key of a family may begin in one process and day: it stands in public, and ids are free. */
const MAX_BEGUN = 10_000;

/** A function that counts hits which the key of a family opened; it keeps strangers from filling the store. */
export function limitFamilies(
  counters: Counters,
): (id: CounterId, prefix: FamilyPrefix) => Promise<number> {
  const begun = new Map<FamilyPrefix, number>();
  let day = counters.calendar.today();

  function begunToday(prefix: FamilyPrefix): number {
    const today = counters.calendar.today();
    if (today !== day) begun.clear();
    day = today;
    return begun.get(prefix) ?? 0;
  }

  return async (id, prefix) => {
    const isFull = begunToday(prefix) >= MAX_BEGUN;
    if (isFull && await counters.count(id) === 0) throw new Problem("family-full");
    const hits = await counters.hit(id);
    if (hits === 1) begun.set(prefix, begunToday(prefix) + 1);
    return hits;
  };
}
