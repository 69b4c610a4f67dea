import { failed } from "./batch_outcomes.ts";
import type { Group } from "./gathering.ts";
import type { Marks, OnceOutcome } from "./once.ts";
import type { ChangeOutcome, CounterStore, OnceAddition } from "./store.ts";

/** What became of each of the hits that were sent together, or why nothing did. */
export type OnceResults = readonly (OnceOutcome | Error)[];

/** Of hits that count once; each adds its own marks. */
export const ONCE = { kind: "once" } as const;

/** Callers whose hits count once. */
export type OnceGroup = Group<typeof ONCE, OnceResults, Marks>;

/** How many hits of a counter go at once: their marks have to go into one step of the store. */
const AT_ONCE = 100;

/** Counts hits with marks, of each counter in its own order. */
export async function countGroupsOnce(
  store: CounterStore,
  groups: readonly OnceGroup[],
): Promise<OnceResults[]> {
  const results = groups.map((): (OnceOutcome | Error)[] => []);
  for (let start = 0; groups.some(({ parts }) => parts.length > start); start += AT_ONCE) {
    const additions = groups.map(({ id, parts }): OnceAddition => {
      return { kind: "once", id, hits: parts.slice(start, start + AT_ONCE) };
    });
    const going = additions.filter(({ hits }) => hits.length > 0);
    const outcomes = (await send(store, going)).values();
    additions.forEach(({ hits }, index) => {
      if (hits.length > 0) results[index]?.push(...eachOf(hits, outcomes.next().value));
    });
  }
  return results;
}

/** What became of one hit of those that were sent together; throws why nothing did. */
export function ownOutcome(results: OnceResults, place: number): OnceOutcome {
  const outcome = results[place];
  if (outcome === undefined || outcome instanceof Error) throw outcome;
  return outcome;
}

type Sent = readonly OnceOutcome[] | Error;

/** So that what fails does not speak for the hits that went before. */
async function send(store: CounterStore, additions: readonly OnceAddition[]): Promise<Sent[]> {
  try {
    return (await store.change(additions)).map((outcome) => {
      if (outcome instanceof Error || isList(outcome)) return outcome;
      return new TypeError("Count hits once: the store gave something else");
    });
  } catch (error) {
    return additions.map(() => failed(error));
  }
}

/** Whether something is what became of hits with marks. */
export function isList(outcome: ChangeOutcome): outcome is readonly OnceOutcome[] {
  return Array.isArray(outcome);
}

function eachOf(hits: readonly Marks[], sent: Sent | undefined): (OnceOutcome | Error)[] {
  const none = new Error(`Count ${hits.length} hits once: the store gave no outcome`);
  return hits.map((_, place) => sent instanceof Error ? sent : sent?.[place] ?? none);
}
