import type { CounterId } from "../counter/counter_id.ts";
import type { Day } from "../counter/days.ts";
import { Recent } from "../recent.ts";

/**
 * Of how many counters the open day is remembered for sure. A hit on any other has to look at its ledger, which costs as
 * much as the hit; each takes some 80 bytes.
 */
const REMEMBERED = 100_000;

/** The latest day that counters are known to be open on: no day of a counter is closed again, but where it ends. */
export function createOpenDays(): Recent<CounterId, Day> {
  return new Recent(REMEMBERED);
}
