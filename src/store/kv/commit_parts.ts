import type { Plan, Writes } from "./plan.ts";

/** What one commit may hold (docs.deno.com, "Key-value store limits"); the values leave room for what Deno adds to them. */
const MOST_CHECKS = 100;
const MOST_MUTATIONS = 1000;
export const MOST_KEY_BYTES = 80_000;
const MOST_VALUE_BYTES = 600_000;
/** The most bytes that a number of hits or a day takes, and what a value has beside its numbers. */
const NUMBER_BYTES = 8;
const VALUE_BYTES = 50;

/** Cuts plans into parts of which each fits into one commit, with keys no longer than `longestKey` bytes. */
export function commitParts(plans: readonly Plan[], longestKey: number): Plan[][] {
  let load = new Load(longestKey);
  let part: Plan[] = [];
  const parts = [part];
  for (const plan of plans) {
    load.add(plan.writes);
    if (!load.fits) {
      load = new Load(longestKey);
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
  readonly #longestKey: number;
  #checks = 0;
  #mutations = 0;
  #numbers = 0;

  constructor(longestKey: number) {
    this.#longestKey = longestKey;
  }

  get fits(): boolean {
    return this.#checks <= MOST_CHECKS && this.#mutations <= MOST_MUTATIONS &&
      this.#mutations * this.#longestKey <= MOST_KEY_BYTES &&
      this.#mutations * VALUE_BYTES + this.#numbers * NUMBER_BYTES <= MOST_VALUE_BYTES;
  }

  add(writes: Writes | undefined): void {
    if (writes === undefined) return;
    const { history, marks } = writes;
    this.#checks++;
    this.#mutations++;
    if (marks !== undefined) this.#mutations += marks.keys.size + marks.visitors.size;
    if (history === undefined) return;
    const { ledger, years, goneYears } = history;
    this.#mutations += 1 + years.length + goneYears.length;
    this.#numbers += ledger?.before.length ?? 0;
    for (const { hits } of years) this.#numbers += hits.length;
  }
}
