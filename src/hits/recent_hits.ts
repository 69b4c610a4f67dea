import { type CounterId, counterIdOrHome } from "../domain/counter_id.ts";
import type { Query } from "../http/query.ts";
import type { HitFlag } from "../http/response.ts";
import type { FlaggedHit, HitRequest, HitResult } from "./hit_policy.ts";
import type { Problem, ProblemName } from "../problem.ts";

/** A hit and its outcome. Nothing in it identifies the sender. */
export interface RecentHit {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Undefined if the request has no valid id. */
  readonly id: CounterId | undefined;
  readonly outcome: "counted" | HitFlag | ProblemName;
  /** The name of the crawler that sent it, which is no person. */
  readonly crawler?: string | undefined;
  /** True if its key was made with an earlier secret. */
  readonly hasEarlierKey: boolean;
}

/** Maximum number of hits in a list. */
const LOG_SIZE = 100;

/**
 * The last hits of this process, in memory only. Rejected requests have a list of their own,
 * because anyone can send them, and they would push out the hits that were authorized.
 */
export class RecentHits {
  readonly #authorized: RecentHit[] = [];
  readonly #rejected: RecentHit[] = [];

  /**
   * Records what became of a request for a hit, which HEAD is none of. Returns the number, and the
   * flag unless the hit is an ordinary one.
   */
  record({ request, id, grant }: HitRequest, result: HitResult): FlaggedHit {
    const hit: FlaggedHit = typeof result === "number" ? { hits: result } : result;
    if (request.method === "HEAD") return hit;
    const hasEarlierKey = typeof grant === "object" && grant.isEarlier;
    const { flag: outcome = "counted", crawler } = hit;
    append(this.#authorized, { time: Date.now(), id, outcome, crawler, hasEarlierKey });
    return hit;
  }

  recordProblem({ kind, status }: Problem, query: Query<"id"> | undefined): void {
    // Only authorized requests have these problems.
    const isAuthorized = status >= 500 || status === 403 || status === 409;
    const hits = isAuthorized ? this.#authorized : this.#rejected;
    const id = query && kind !== "hit-needs-id" ? counterIdOrHome(query.get("id")) : undefined;
    append(hits, { time: Date.now(), id, outcome: kind, hasEarlierKey: false });
  }

  /** Both lists, the newest hit first. */
  get latest(): { authorized: readonly RecentHit[]; rejected: readonly RecentHit[] } {
    return { authorized: newestFirst(this.#authorized), rejected: newestFirst(this.#rejected) };
  }
}

/** Removes many old hits at once, because a `shift` for each hit takes 0.4 µs. */
function append(hits: RecentHit[], hit: RecentHit): void {
  if (hits.push(hit) >= 10 * LOG_SIZE) hits.splice(0, hits.length - LOG_SIZE);
}

function newestFirst(hits: readonly RecentHit[]): RecentHit[] {
  return hits.slice(-LOG_SIZE).reverse();
}
