import { type CounterId, counterId } from "../counter/counter_id.ts";
import type { Problem, ProblemName } from "../problem.ts";
import type { Remark } from "./hit_policy.ts";
import { parseQuery } from "../http/query.ts";

/** What became of a hit. */
export type Outcome = "counted" | Remark | ProblemName;

/** A hit, and what was decided on it; nothing tells who sent it. */
export interface Decision {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Undefined where the request named no counter that could be understood. */
  readonly id: CounterId | undefined;
  readonly outcome: Outcome;
}

/** How many are kept of each kind. */
const KEPT = 100;

/**
 * The hits that this process decided on last, in memory only. Rejected requests are kept apart: anyone can send them, and
 * they would push out those that a key or the secret authorized.
 */
export class Decisions {
  readonly #authorized = new LastDecisions();
  readonly #rejected = new LastDecisions();

  /** Takes down what became of an authorized hit. */
  note(id: CounterId, outcome: Outcome): void {
    this.#authorized.add({ time: Date.now(), id, outcome });
  }

  /** Takes down the problem that a request was answered with. */
  noteProblem({ kind, status }: Problem, request: Request): void {
    // These come after the authorization, all others before it.
    const isAuthorized = status >= 500 || status === 403 || status === 409;
    const decisions = isAuthorized ? this.#authorized : this.#rejected;
    decisions.add({ time: Date.now(), id: idOf(request), outcome: kind });
  }

  /** Both kinds, each with the newest first. */
  get latest(): { authorized: readonly Decision[]; rejected: readonly Decision[] } {
    return { authorized: this.#authorized.latest, rejected: this.#rejected.latest };
  }
}

/** A ring: a new decision takes the place of the oldest. */
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

const ID = new Set(["id"]);

/** The counter that a refused request is about; undefined where its query or its id is what is wrong. */
function idOf({ url }: Request): CounterId | undefined {
  try {
    return counterId(parseQuery(url, ID).get("id"));
  } catch {
    return undefined;
  }
}
