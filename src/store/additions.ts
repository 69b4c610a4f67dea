import type { Addition, Change } from "../counter/store.ts";
import { Problem } from "../problem.ts";

/** The changes, where all are additions; the stores learn the other kinds next. */
export function additionsOf(
  changes: readonly Change[],
): readonly Addition[] {
  return changes.map((change) => {
    if (change.kind !== "add") throw new Problem("store-unavailable");
    return change;
  });
}
