import { Problem } from "../problem.ts";
import type { Held } from "./days.ts";
import type { Group } from "./gathering.ts";
import { isList } from "./once_calls.ts";
import type { Change, ChangeOutcome, Deletion, Replacement } from "./store.ts";

/** What is done to a counter; hits of one counter are one and the same call. */
export type ChangeCall = typeof HIT | Omit<Replacement, "id"> | Omit<Deletion, "id">;
/** What a change comes to that goes well. */
export type Changed = Exclude<ChangeOutcome, Problem>;
/** Those who call for the same change. */
export type ChangeGroup = Group<ChangeCall, Changed>;

/** One hit. */
export const HIT = { kind: "add" } as const;
/** The end of a counter. */
export const DELETION: ChangeCall = { kind: "delete" };

/** What a store is to do for those who call together. */
export function changeOf({ id, call, callers }: ChangeGroup): Change {
  return call.kind === "add" ? { kind: "add", id, amount: callers } : { ...call, id };
}

/** The number of one hit of several that were added together. */
export function ownNumber(total: Changed, place: number, { callers }: ChangeGroup): number {
  if (typeof total !== "number") throw new TypeError("Count a hit: the store gave no number");
  return total - callers + 1 + place;
}

/** What a counter holds after a change that went well. */
export function hitsAfter(
  { call }: ChangeGroup,
  outcome: ChangeOutcome | undefined,
): number | undefined {
  if (typeof outcome === "number") return outcome;
  if (outcome === undefined || outcome instanceof Problem) return undefined;
  if (isList(outcome)) return undefined;
  if (call.kind !== "set") return 0;
  return call.mode === "max" ? Math.max(call.hits, outcome.hits) : call.hits;
}

/** What a counter held that was set or deleted. */
export function heldOf(held: Changed): Held {
  if (typeof held !== "number" && !isList(held)) return held;
  throw new TypeError("Set a counter: the store gave something else");
}
