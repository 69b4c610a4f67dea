import { Problem } from "../problem.ts";
import type { Held } from "./days.ts";
import type { Line } from "./line.ts";

/** Options of {@linkcode setLines}. */
export interface SetLinesOptions {
  set(line: Line): Promise<Held>;
  /** How many are set at a time. */
  portion: number;
  /** Whether others wait for the store too. */
  othersWait(): boolean;
}

/**
 * Sets counters, those with similar ids together, as a database has them near each other. Where others wait for the store
 * it is theirs for as long after each portion as that has taken. After a portion with a failure of the store the rest is not
 * tried. Resolves with the problems of those that were not set, by their place.
 */
export async function setLines(
  lines: readonly Line[],
  { set, portion, othersWait }: SetLinesOptions,
): Promise<ReadonlyMap<number, Problem>> {
  const places = [...lines.keys()].sort((a, b) => compare(lines[a]?.id, lines[b]?.id));
  const problems = new Map<number, Problem>();

  async function setOne(place: number): Promise<void> {
    const line = lines[place];
    if (line === undefined) return;
    try {
      await set(line);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.set(place, error);
    }
  }

  for (let start = 0; start < places.length; start += portion) {
    const began = performance.now();
    await Promise.all(places.slice(start, start + portion).map(setOne));
    const failure = problems.values().find(({ status }) => status >= 500);
    if (failure !== undefined) {
      for (const place of places.slice(start + portion)) problems.set(place, failure);
      break;
    }
    if (othersWait()) await pause(performance.now() - began);
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
