import { type CounterId, counterId } from "../counter/counter_id.ts";
import type { ProblemName } from "../problem.ts";
import type { Remarked } from "./found.ts";
import { refusedQuery } from "./query.ts";

/** What became of a hit. */
export type Outcome = "counted" | Remarked["remark"] | ProblemName;

/** A hit, and what was decided on it; nothing tells who sent it. */
export interface Decision {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Undefined where the request named no counter that could be understood. */
  readonly id: CounterId | undefined;
  readonly outcome: Outcome;
}

/** How many are kept. */
const KEPT = 100;

/** The hits that this process decided on last, in memory only. */
export class Decisions {
  readonly #kept: Decision[] = [];
  #next = 0;

  note(id: CounterId | undefined, outcome: Outcome): void {
    this.#kept[this.#next] = { time: Date.now(), id, outcome };
    this.#next = (this.#next + 1) % KEPT;
  }

  /** The newest first. */
  get latest(): readonly Decision[] {
    return [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)].reverse();
  }
}

/** The counter that a request is about which was refused, as far as it can be told. */
export function idOf({ url }: Request): CounterId | undefined {
  try {
    return counterId(refusedQuery(url).get("id") ?? undefined);
  } catch {
    return undefined;
  }
}
