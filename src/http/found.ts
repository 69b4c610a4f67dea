import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import { Problem } from "../problem.ts";

/** The number to answer with: as it was asked for, or with a remark of what is different about it. */
export type Found = number | Remarked;

/** A number that is not what the request usually gives. */
export interface Remarked {
  readonly hits: number;
  readonly remark: "prefetch" | "stale";
}

/** The number that was seen last, for while the store is away; throws every other error on. */
export function lastSeen(
  counters: Counters,
  { error, id }: { error: unknown; id: CounterId },
): Remarked {
  const hits = counters.lastSeen(id);
  if (!(error instanceof Problem) || error.status !== 503 || hits === undefined) throw error;
  return { hits, remark: "stale" };
}

/** A number with a remark, once it is known. */
export async function remarked(
  hits: number | Promise<number>,
  remark: Remarked["remark"],
): Promise<Remarked> {
  return { hits: await hits, remark };
}
