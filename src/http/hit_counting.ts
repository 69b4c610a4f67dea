import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import type { Opening } from "./access.ts";
import { limitFamilies } from "./family_limit.ts";
import { type Found, remarked } from "./found.ts";

/** An admitted request for a hit. */
export interface HitRequest {
  readonly request: Request;
  readonly id: CounterId;
  readonly opening: Opening;
}

/** Counts a hit, unless the request only looks: a HEAD, or a prefetch, whose answer says so. */
export type HitCounting = (asked: HitRequest) => Found | Promise<Found>;

/** The one way in which hits are counted. */
export function createHitCounting(counters: Counters): HitCounting {
  const hitOfFamily = limitFamilies(counters);
  return ({ request, id, opening }) => {
    if (isPrefetch(request)) return remarked(counters.count(id), "prefetch");
    if (request.method === "HEAD") return counters.count(id);
    const isOwn = opening === "open" || opening === "secret" || opening === "own";
    return isOwn ? counters.hit(id) : hitOfFamily(id, opening);
  };
}

const PREFETCHING = /\bprefetch\b/i;

/** Whether a browser fetches this before anyone asked to see it (Fetch standard, "Sec-Purpose header"). */
function isPrefetch({ headers }: Request): boolean {
  return PREFETCHING.test(headers.get("sec-purpose") ?? "") ||
    PREFETCHING.test(headers.get("purpose") ?? "");
}
