import { KEY_BYTES_PER_COMMIT, MUTATIONS_PER_COMMIT, VALUE_BYTES_PER_COMMIT } from "./kv_limits.ts";
import type { Plan, Writes } from "./plan.ts";

/** The most bytes that a number of hits or a day takes, and what a value has beside its numbers. */
const NUMBER_BYTES = 8;
const VALUE_BYTES = 50;

/** Where plans are committed to: how many checks a commit may have there, and how long a key may be, in bytes. */
export interface CommitBounds {
  readonly checks: number;
  readonly longestKey: number;
}

/** Cuts plans into parts of which each fits into one commit. */
export function commitParts(plans: readonly Plan[], bounds: CommitBounds): Plan[][] {
  let load = new Load(bounds);
  let part: Plan[] = [];
  const parts = [part];
  for (const plan of plans) {
    load.add(plan.writes);
    if (!load.fits) {
      load = new Load(bounds);
      load.add(plan.writes);
      part = [];
      parts.push(part);
    }
    part.push(plan);
  }
  return parts;
}

/** What a commit holds; looked at for each hit, so it is counted without lists. */
class Load {
  readonly #bounds: CommitBounds;
  #checks = 0;
  #mutations = 0;
  #numbers = 0;

  constructor(bounds: CommitBounds) {
    this.#bounds = bounds;
  }

  get fits(): boolean {
    const { checks, longestKey } = this.#bounds;
    return this.#checks <= checks && this.#mutations <= MUTATIONS_PER_COMMIT &&
      this.#mutations * longestKey <= KEY_BYTES_PER_COMMIT &&
      this.#mutations * VALUE_BYTES + this.#numbers * NUMBER_BYTES <= VALUE_BYTES_PER_COMMIT;
  }

  add(writes: Writes | undefined): void {
    if (writes === undefined) return;
    const { total, history, marks } = writes;
    this.#checks++;
    this.#mutations++;
    // That it was deleted is noted.
    if (total === undefined) this.#mutations++;
    if (marks !== undefined) this.#mutations += marks.keys.size + marks.visitors.size;
    if (history === undefined) return;
    const { ledger, years, goneYears } = history;
    this.#mutations += 1 + years.length + goneYears.length;
    this.#numbers += ledger?.before.length ?? 0;
    for (const { hits } of years) this.#numbers += hits.length;
  }
}
