import { Problem } from "../problem.ts";
import type { Held } from "./days.ts";
import { giveWay } from "./give_way.ts";
import type { Line } from "./line.ts";
import { Places } from "./places.ts";

/** Options of {@linkcode setLines}. */
export interface SetLinesOptions {
  set(line: Line): Promise<Held>;
  /** How many are set at a time. */
  portion: number;
  /** Whether those with similar ids shall be set together. */
  byId: boolean;
  /** How many have called for changes so far, those that are being set here included. */
  called(): number;
}

/** How many portions are on their way at once: while the store is busy with one, the next is made ready. */
const LANES = 2;
/** How many are set at a time where others call: they wait for all of a portion that is before them. */
const BESIDE_OTHERS = 100;

/**
 * Sets counters. Where others call meanwhile portions are small, and two thirds of the time are theirs. After a failure of
 * the store the rest is not tried. Resolves with the problems of those that were not set, by their place.
 */
export async function setLines(
  lines: readonly Line[],
  { set, portion, byId, called }: SetLinesOptions,
): Promise<ReadonlyMap<number, Problem>> {
  const places = byId ? await Places.byId(lines) : Places.asTheyCame(lines);
  const problems = new Map<number, Problem>();
  let failure: Problem | undefined;
  let left = lines.length;
  let own = 0;

  async function setOne(place: number): Promise<void> {
    const line = lines[place];
    if (line === undefined) return;
    own++;
    try {
      await set(line);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.set(place, error);
      if (error.status >= 500) failure = error;
    }
  }

  async function setPortions(): Promise<void> {
    let busy = true;
    while (left > 0 && failure === undefined) {
      const began = performance.now();
      const others = called() - own;
      const size = busy ? Math.min(portion, BESIDE_OTHERS) : portion;
      const some = places.take(size);
      left -= some.length;
      await Promise.all(some.map(setOne));
      // Not who waits now: those who were answered together with this portion call again a moment later.
      busy = called() - own > others;
      if (busy) await giveWay(began, 3 * LANES);
    }
  }

  await Promise.all(Array.from({ length: LANES }, setPortions));
  if (failure !== undefined) {
    for (const place of places.take(left)) problems.set(place, failure);
  }
  return problems;
}
