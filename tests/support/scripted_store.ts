import type { Change, CounterStore, Outcome } from "../../src/counter/store.ts";
import { Problem, type ProblemName } from "../../src/problem.ts";

/** A store that fails on demand, as no real one does: for the answers to failures only. */
export class ScriptedStore implements CounterStore {
  readonly source = "redis";
  readonly batches = 1;
  readonly idsPerBatch = 100;
  /** How often each operation was called. */
  readonly calls = { change: 0, read: 0, check: 0 };
  /** What every call fails with; undefined where it works. */
  failure: ProblemName | Error | undefined;
  /** What every call waits for before it does anything. */
  gate: Promise<void> | undefined;
  readonly #counters = new Map<string, number>();

  async change(changes: readonly Change[]): Promise<readonly Outcome[]> {
    this.calls.change++;
    await this.#obey();
    return changes.map(({ id, amount }) => {
      const total = (this.#counters.get(id) ?? 0) + amount;
      this.#counters.set(id, total);
      return total;
    });
  }

  async read(ids: readonly string[]): Promise<readonly Outcome[]> {
    this.calls.read++;
    await this.#obey();
    return ids.map((id) => this.#counters.get(id) ?? 0);
  }

  async check(): Promise<void> {
    this.calls.check++;
    await this.#obey();
  }

  async close(): Promise<void> {}

  /** How often the store was asked for anything. */
  get touched(): number {
    const { change, read, check } = this.calls;
    return change + read + check;
  }

  async #obey(): Promise<void> {
    await this.gate;
    if (typeof this.failure === "string") throw new Problem(this.failure);
    if (this.failure !== undefined) throw this.failure;
  }
}
