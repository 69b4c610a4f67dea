import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import type { OnceOutcome } from "../counter/once.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import type { Opening } from "./access.ts";
import type { Proxies } from "./caller_address.ts";
import { type CallerKind, createCallerKinds } from "./crawler.ts";
import type { Peer } from "./endpoint.ts";
import { limitFamilies } from "./family_limit.ts";
import { type Found, remarked } from "./found.ts";
import type { Query } from "./query.ts";
import { createVisits } from "./visits.ts";

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
  /** Loads what the first hit with a counter key would have to wait for. */
  loadCounting(): Promise<void>;
}

/** Opens it. */
export function createHitCounting({ counters, ...options }: HitCountingOptions): HitCounting {
  const inFamily = limitFamilies(counters);
  const { kindOf, load } = createCallerKinds();
  const visit = createVisits({ counters, ...options });

  /** What has a key, a visitor, or a counter key, which stands in public: crawlers find it. */
  function countCarefully(asked: HitRequest, key: string | undefined): Promise<Found> {
    const { request, query, opening } = asked;
    const visitor = query.get("visitor");
    if (visitor !== undefined && isByKey(opening)) throw new Problem("bad-query", VISITOR_BY_KEY);
    const isServer = opening === "secret" && (visitor !== undefined || !query.get("once"));
    const kind = isServer ? "somebody" : kindOf(request.headers.get("user-agent") ?? "");
    return kind instanceof Promise
      ? kind.then((kind) => countAs(kind, { asked, key }))
      : countAs(kind, { asked, key });
  }

  function countAs(
    kind: CallerKind,
    { asked, key }: { asked: HitRequest; key: string | undefined },
  ): Promise<Found> {
    const { id, opening, query } = asked;
    if (kind === "crawler" && isByKey(opening)) return remarked(counters.count(id), "bot");
    // An image proxy hides whom it fetches for: they are many, or one who reloads.
    const isProxy = kind === "image proxy";
    const isOnce = query.get("once") !== undefined && !isProxy;
    const count = (): Promise<Found> => {
      if (isOnce) return visit(asked, key).then(foundIn);
      return key === undefined ? counters.hit(id) : counters.hitOnce(id, { key }).then(foundIn);
    };
    const found = isFamily(opening) ? inFamily({ id, prefix: opening }, count) : count();
    return isProxy ? found.then(seenByProxy) : found;
  }

  function countHit(asked: HitRequest, key?: string): Found | Promise<Found> {
    const { request, query, id, opening } = asked;
    if (isPrefetch(request)) return remarked(counters.count(id), "prefetch");
    if (request.method === "HEAD") return counters.count(id);
    const isPlain = opening === "secret" && key === undefined && query.get("once") === undefined;
    return isPlain ? counters.hit(id) : countCarefully(asked, key);
  }

  return { countHit, loadCounting: load };
}

const VISITOR_BY_KEY = {
  detail: "visitor= needs the secret: with a counter key the caller is the visitor.",
};

function isByKey(opening: Opening): boolean {
  return opening !== "open" && opening !== "secret";
}

function isFamily(opening: Opening): opening is Exclude<Opening, "open" | "secret" | "own"> {
  return isByKey(opening) && opening !== "own";
}

function foundIn({ hits, repeat }: OnceOutcome): Found {
  return repeat ? { hits, remark: "repeat" } : hits;
}

function seenByProxy(found: Found): Found {
  return typeof found === "number" ? { hits: found, remark: "camo" } : found;
}

const PREFETCHING = /\bprefetch\b/i;

/** Whether a browser fetches this before anyone asked to see it (Fetch standard, "Sec-Purpose header"). */
function isPrefetch({ headers }: Request): boolean {
  return isPrefetching(headers.get("sec-purpose")) || isPrefetching(headers.get("purpose"));
}

function isPrefetching(purpose: string | null): boolean {
  return purpose !== null && PREFETCHING.test(purpose);
}
