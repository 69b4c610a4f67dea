import { Problem } from "../problem.ts";
import type { Held } from "./days.ts";
import type { Line } from "./line.ts";

/** Options of {@linkcode setLines}. */
export interface SetLinesOptions {
  set(line: Line): Promise<Held>;
  /** How many are set at a time. */
  portion: number;
  /** How many wait for the store, those that are being set here included. */
  waiting(): number;
}

/** How many portions are on their way at once: while the store is busy with one, the next is made ready. */
const LANES = 2;

/**
 * Sets counters, those with similar ids together, as a database has them near each other. Where others wait for the store
 * it is theirs for as long after each portion as that has taken. After a failure of the store the rest is not tried.
 * Resolves with the problems of those that were not set, by their place.
 */
export async function setLines(
  lines: readonly Line[],
  { set, portion, waiting }: SetLinesOptions,
): Promise<ReadonlyMap<number, Problem>> {
  const places = [...lines.keys()].sort((a, b) => compare(lines[a]?.id, lines[b]?.id));
  const problems = new Map<number, Problem>();
  let failure: Problem | undefined;
  let next = 0;
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
    } finally {
      own--;
    }
  }

  async function setPortions(): Promise<void> {
    while (next < places.length && failure === undefined) {
      const began = performance.now();
      const some = places.slice(next, next += portion);
      await Promise.all(some.map(setOne));
      if (waiting() > own) await pause(performance.now() - began);
    }
  }

  await Promise.all(Array.from({ length: LANES }, setPortions));
  if (failure !== undefined) {
    for (const place of places.slice(next)) problems.set(place, failure);
  }
  return problems;
}

/** Stable where it is used to sort, so that of two lines of one counter the later one comes later. */
function compare(one: string | undefined, other: string | undefined): number {
  if (one === other || one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
