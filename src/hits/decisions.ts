import { type CounterId, counterId } from "../counter/counter_id.ts";
import type { Query } from "../http/query.ts";
import type { Problem, ProblemName } from "../problem.ts";
import type { Remark } from "./hit_policy.ts";

/** What was decided on a hit; nothing in it identifies the sender. */
export interface Decision {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Undefined if the request has no valid id. */
  readonly id: CounterId | undefined;
  readonly outcome: "counted" | Remark | ProblemName;
}

const KEPT = 100;

/**
 * The last hits that this process decided on, in memory only. Rejected requests are kept apart: anyone can send them, and
 * they would push out the hits that were authorized.
 */
export class Decisions {
  readonly #authorized = new LastDecisions();
  readonly #rejected = new LastDecisions();

  record(id: CounterId, outcome: Decision["outcome"]): void {
    this.#authorized.add({ time: Date.now(), id, outcome });
  }

  recordProblem({ kind, status }: Problem, query: Query<"id"> | undefined): void {
    // Only an authorized request gets this far.
    const isAuthorized = status >= 500 || status === 403 || status === 409;
    const decisions = isAuthorized ? this.#authorized : this.#rejected;
    const id = kind === "hit-needs-id" ? undefined : idIn(query);
    decisions.add({ time: Date.now(), id, outcome: kind });
  }

  /** Each list has the newest first. */
  get latest(): { authorized: readonly Decision[]; rejected: readonly Decision[] } {
    return { authorized: this.#authorized.latest, rejected: this.#rejected.latest };
  }
}

/** A ring buffer. */
class LastDecisions {
  readonly #kept: Decision[] = [];
  #next = 0;

  add(decision: Decision): void {
    this.#kept[this.#next] = decision;
    this.#next = (this.#next + 1) % KEPT;
  }

  get latest(): readonly Decision[] {
    return [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)].reverse();
  }
}

/** Undefined if the query or the id is what is wrong with the request. */
function idIn(query: Query<"id"> | undefined): CounterId | undefined {
  try {
    return query === undefined ? undefined : counterId(query.get("id"));
  } catch {
    return undefined;
  }
}
