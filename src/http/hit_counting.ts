import type { CounterId } from "../counter/counter_id.ts";
import type { Counters } from "../counter/counters.ts";
import type { Opening } from "./access.ts";
import { type CallerKind, createCallerKinds } from "./crawler.ts";
import { limitFamilies } from "./family_limit.ts";
import { type Found, remarked } from "./found.ts";
import type { KeyKind } from "./secret.ts";

/** An admitted request for a hit. */
export interface HitRequest {
  readonly request: Request;
  readonly id: CounterId;
  readonly opening: Opening;
}

/**
 * Counts a hit, unless the request only looks; where its answer is not the plain number of a hit, it says so. With a key
 * it is the same hit as the one before with this key.
 */
export type HitCounting = (asked: HitRequest, key?: string) => Found | Promise<Found>;

/** The one way in which hits are counted. */
export function createHitCounting(counters: Counters): HitCounting {
  const hitOfFamily = limitFamilies(counters);
  const kindOf = createCallerKinds();

  /** A key stands in public, where crawlers find it and image proxies fetch for readers whom they hide. */
  function hitByKey(
    id: CounterId,
    { key, kind }: { key: KeyKind; kind: CallerKind },
  ): Promise<Found> {
    if (kind === "crawler") return remarked(counters.count(id), "bot");
    const hits = key === "own" ? counters.hit(id) : hitOfFamily(id, key);
    return kind === "image proxy" ? remarked(hits, "camo") : hits;
  }

  async function hitOnce(id: CounterId, key: string): Promise<Found> {
    const { hits, repeat } = await counters.hitOnce(id, { key });
    return repeat ? { hits, remark: "repeat" } : hits;
  }

  return ({ request, id, opening }, key) => {
    if (isPrefetch(request)) return remarked(counters.count(id), "prefetch");
    if (request.method === "HEAD") return counters.count(id);
    if (opening === "open" || opening === "secret") {
      return key === undefined ? counters.hit(id) : hitOnce(id, key);
    }
    const kind = kindOf(request.headers.get("user-agent") ?? "");
    return kind instanceof Promise
      ? kind.then((kind) => hitByKey(id, { key: opening, kind }))
      : hitByKey(id, { key: opening, kind });
  };
}

const PREFETCHING = /\bprefetch\b/i;

/** Whether a browser fetches this before anyone asked to see it (Fetch standard, "Sec-Purpose header"). */
function isPrefetch({ headers }: Request): boolean {
  return PREFETCHING.test(headers.get("sec-purpose") ?? "") ||
    PREFETCHING.test(headers.get("purpose") ?? "");
}
