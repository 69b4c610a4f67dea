import { type CounterId, counterId } from "../counter/counter_id.ts";
import type { Query } from "../http/query.ts";
import type { HitFlag } from "../http/response.ts";
import type { Problem, ProblemName } from "../problem.ts";

/** The outcome of a hit: counted, not an ordinary hit, or a problem. */
export type HitOutcome = "counted" | HitFlag | ProblemName;

/** A hit and its outcome. Nothing in it identifies the sender. */
export interface RecentHit {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Undefined if the request has no valid id. */
  readonly id: CounterId | undefined;
  readonly outcome: HitOutcome;
}

const LOG_SIZE = 100;

/**
 * The last hits of this process, in memory only. Rejected requests have a list of their own, because anyone can send
 * them, and they would push out the hits that were authorized.
 */
export class RecentHits {
  readonly #authorized = new RingBuffer();
  readonly #rejected = new RingBuffer();

  record(id: CounterId, outcome: HitOutcome): void {
    this.#authorized.add({ time: Date.now(), id, outcome });
  }

  recordProblem({ kind, status }: Problem, query: Query<"id"> | undefined): void {
    // Only authorized requests have these problems.
    const isAuthorized = status >= 500 || status === 403 || status === 409;
    const hits = isAuthorized ? this.#authorized : this.#rejected;
    const id = kind === "hit-needs-id" ? undefined : validId(query);
    hits.add({ time: Date.now(), id, outcome: kind });
  }

  /** Both lists, the newest hit first. */
  get latest(): { authorized: readonly RecentHit[]; rejected: readonly RecentHit[] } {
    return { authorized: this.#authorized.latest, rejected: this.#rejected.latest };
  }
}

class RingBuffer {
  readonly #hits: RecentHit[] = [];
  #next = 0;

  add(hit: RecentHit): void {
    this.#hits[this.#next] = hit;
    this.#next = (this.#next + 1) % LOG_SIZE;
  }

  get latest(): readonly RecentHit[] {
    return [...this.#hits.slice(this.#next), ...this.#hits.slice(0, this.#next)].reverse();
  }
}

/** Returns undefined if the query or the id in it is invalid. */
function validId(query: Query<"id"> | undefined): CounterId | undefined {
  try {
    return query === undefined ? undefined : counterId(query.get("id"));
  } catch {
    return undefined;
  }
}
