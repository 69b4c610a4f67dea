import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counting/counters.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Opening } from "./access.ts";
import type { Proxies } from "./caller_address.ts";
import type { Peer } from "./endpoint.ts";
import { type Found, remarked } from "./found.ts";
import { loadOnce } from "./later.ts";
import type { Query } from "./query.ts";

/** An admitted request for a hit. */
export interface HitRequest {
  readonly request: Request;
  readonly peer: Peer;
  readonly query: Query<"once" | "visitor">;
  readonly id: CounterId;
  readonly opening: Opening;
}

/** What counting stands on. */
export interface HitCountingOptions {
  counters: Counters;
  proxies: Proxies;
  familyLimit: number;
  metrics: Metrics;
  log: Log;
}

/**
 * Counts a hit, unless the request only looks; where its answer is not the plain number of a hit, it says so. With a key
 * it is the same hit as the one before with this key.
 */
export type CountHit = (asked: HitRequest, key?: string) => Found | Promise<Found>;

/** The one way in which hits are counted. */
export interface HitCounting {
  readonly countHit: CountHit;
  /** Loads what a hit would have to wait for that may be a repeat or a crawler's. */
  loadCounting(): Promise<void>;
}

/** Opens it. */
export function createHitCounting(options: HitCountingOptions): HitCounting {
  const { counters } = options;
  let countCarefully: CountHit | undefined;

  const loadCounting = loadOnce(async () => {
    const { createCarefulCounting } = await import("./careful_counting.ts");
    countCarefully = await createCarefulCounting(options);
  });

  function countHit(asked: HitRequest, key?: string): Found | Promise<Found> {
    const { request, query, id, opening } = asked;
    if (isPrefetch(request)) return remarked(counters.count(id), "prefetch");
    if (request.method === "HEAD") return counters.count(id);
    const isPlain = opening === "secret" && key === undefined && query.get("once") === undefined;
    if (isPlain) return counters.hit(id);
    return countCarefully?.(asked, key) ?? loadCounting().then(() => countHit(asked, key));
  }

  return { countHit, loadCounting };
}

const PREFETCHING = /\bprefetch\b/i;

/** Whether a browser fetches this before anyone asked to see it (Fetch standard, "Sec-Purpose header"). */
function isPrefetch({ headers }: Request): boolean {
  return isPrefetching(headers.get("sec-purpose")) || isPrefetching(headers.get("purpose"));
}

function isPrefetching(purpose: string | null): boolean {
  return purpose !== null && PREFETCHING.test(purpose);
}
