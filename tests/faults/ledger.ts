import { deepStrictEqual, ok } from "node:assert/strict";
import { fullNumbers } from "../support/time_limit.ts";
import type { Result } from "./caller.ts";

/** The acknowledged numbers of a counter, and the numbers of its other hits that may be stored. */
type Account = { acknowledged: Set<number>; timedOut: number; broken: number };

/**
 * Time of an answer, in milliseconds, above which a store is known to be slow. It is less than the
 * 1.5 s after which a silent Redis is given up, and than the 2 s after which a hit is.
 */
export const SLOW_MS = 1000;

/** The responses to the hits of clients, to be compared with the store. */
export class Ledger {
  /** Number of responses by status, and of `broken` and `unsent` requests. */
  readonly outcomes: Record<string, number> = {};
  /** The longest that any answer took, in milliseconds. */
  slowest = 0;
  /** When the last of the acknowledged hits was sent, by `performance.now()`. */
  lastSentAt = -Infinity;
  /** Answers that cannot be right whatever the store has. */
  readonly #wrong: string[] = [];
  readonly #accounts = new Map<string, Account>();

  /** Writes down what became of a hit on `id`. */
  note(id: string, { kind, answer, milliseconds, sentAt }: Result): void {
    const outcome = answer?.status ?? kind;
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    if (kind !== "unsent") this.slowest = Math.max(this.slowest, milliseconds);
    const account = this.#account(id);
    if (kind === "broken") account.broken++;
    if (answer?.status === 504) account.timedOut++;
    if (answer?.status !== 200) return;
    this.lastSentAt = Math.max(this.lastSentAt, sentAt);
    const { hits } = JSON.parse(answer.body);
    // Not thrown here, where it would end the load and not the test.
    if (!Number.isSafeInteger(hits) || hits < 1) this.#wrong.push(`${id}: ${answer.body}`);
    if (account.acknowledged.has(hits)) this.#wrong.push(`${id} gave the number ${hits} twice`);
    account.acknowledged.add(hits);
  }

  /** Hits that were answered with their number. */
  get acknowledged(): number {
    return this.#accounts.values().reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }

  /** Hits of this outcome. */
  count(outcome: number | "broken" | "unsent"): number {
    return this.outcomes[outcome] ?? 0;
  }

  /**
   * Statuses because a busy machine kept the store from answering in time, so none unless an answer
   * was slow, and none with the full numbers.
   */
  get late(): readonly number[] {
    return !fullNumbers && this.slowest >= SLOW_MS ? [503, 504] : [];
  }

  /** Fails where a hit had another outcome than these. */
  checkOutcomes(...allowed: (number | "broken" | "unsent")[]): void {
    const others = Object.keys(this.outcomes).filter((outcome) =>
      !allowed.map(String).includes(outcome)
    );
    deepStrictEqual(others, [], `outcomes: ${JSON.stringify(this.outcomes)}`);
  }

  /**
   * Fails where the store lost an acknowledged hit, has more hits than are unknown, or gave a
   * number twice; returns how many hits it has.
   *
   * Every counter is looked at by itself, and starts at 0.
   */
  check(stored: ReadonlyMap<string, number>): number {
    return this.#check(stored, ({ timedOut, broken }) => timedOut + broken);
  }

  /**
   * Like `check`, for services that ended in good order: they answer each hit that they accept, so
   * none without an answer is stored.
   */
  checkAnswered(stored: ReadonlyMap<string, number>): number {
    return this.#check(stored, ({ timedOut }) => timedOut);
  }

  #check(stored: ReadonlyMap<string, number>, unknownOf: (account: Account) => number): number {
    deepStrictEqual(this.#wrong.slice(0, 5), []);
    let total = 0;
    for (const [id, account] of this.#accounts) {
      const { acknowledged } = account;
      const unknown = unknownOf(account);
      const hits = stored.get(id) ?? 0;
      const extras = hits - acknowledged.size;
      const told = `${id}: stored ${hits}, acknowledged ${acknowledged.size}, unknown ${unknown}`;
      ok(extras >= 0, `lost hits: ${told}`);
      ok(extras <= unknown, `hits out of nowhere: ${told}`);
      // A number given out is that of a hit that the store has.
      for (const number of acknowledged) ok(number <= hits, `number ${number} given: ${told}`);
      total += hits;
    }
    for (const id of stored.keys()) ok(this.#accounts.has(id), `a counter nobody hit: ${id}`);
    return total;
  }

  #account(id: string): Account {
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    const account = { acknowledged: new Set<number>(), timedOut: 0, broken: 0 };
    this.#accounts.set(id, account);
    return account;
  }
}
