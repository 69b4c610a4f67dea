import { deduplicate } from "../../src/domain/planner.ts";
import { type CounterId, counterId } from "../../src/domain/counter_id.ts";
import type {
  Addition,
  CounterStore,
  HistoryQuery,
  ListPage,
  OnceAddition,
  OnceOutcome,
  Outcome,
  Risks,
  Write,
} from "../../src/domain/store.ts";
import type { CounterState, Day } from "../../src/domain/history.ts";
import { Failure, type FailureKind } from "../../src/domain/errors.ts";

/** The failures of a store, and the status that a request gets. */
export const STORE_FAILURES = [
  { failure: "store-unavailable", status: 503 },
  { failure: "overloaded", status: 503 },
  { failure: "outcome-unknown", status: 504 },
] as const;

/** A store that fails on demand, as no real one does: for the answers to failures only. */
export class ScriptedStore implements CounterStore {
  readonly source = "redis";
  readonly batches = 1;
  readonly idsPerBatch: number = 100;
  readonly sortedById = true;
  /** Number of calls of each operation. */
  readonly calls = { add: 0, addOnce: 0, write: 0, read: 0, history: 0, list: 0, check: 0 };
  /** The error of every call; undefined if calls succeed. */
  failure: FailureKind | Error | undefined;
  /** The shards that take no hits. */
  shardsAway: readonly string[] = [];
  risks?: () => Risks;
  /** Every call waits for this before it does anything. */
  gate: Promise<void> | undefined;
  readonly #counters = new Map<CounterId, number>();
  readonly #marks = new Map<CounterId, { keys: Map<string, number>; visitors: Set<string> }>();

  async add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    this.calls.add++;
    await this.#obey();
    return additions.map(({ id, amount }) => {
      this.#counters.set(id, this.#number(id) + amount);
      return this.#number(id);
    });
  }

  async addOnce(additions: readonly OnceAddition[]): Promise<readonly OnceOutcome[][]> {
    this.calls.addOnce++;
    await this.#obey();
    return additions.map((addition) => this.#deduplicate(addition));
  }

  async write(writes: readonly Write[]): Promise<readonly (CounterState | Failure)[]> {
    this.calls.write++;
    await this.#obey();
    return writes.map(({ id, update, to }) => {
      const hits = this.#number(id);
      if (update === undefined) this.#counters.delete(id);
      else this.#counters.set(id, update.hits ?? hits);
      if (to !== undefined) this.#counters.set(to, this.#number(to) + hits);
      return { hits, days: undefined };
    });
  }

  async read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    this.calls.read++;
    await this.#obey();
    return ids.map((id) => this.#number(id));
  }

  async history(questions: readonly HistoryQuery[]): Promise<readonly CounterState[]> {
    this.calls.history++;
    await this.#obey();
    return questions.map(({ id }) => ({ hits: this.#number(id), days: undefined }));
  }

  async *list(): AsyncGenerator<ListPage> {
    this.calls.list++;
    await this.#obey();
    const counters = this.#counters.entries().map(([id, hits]) => ({ id, hits, days: undefined }));
    yield { counters: [...counters], foreign: 0 };
  }

  async check(): Promise<readonly string[]> {
    this.calls.check++;
    await this.#obey();
    return this.shardsAway;
  }

  async close(): Promise<void> {}

  /** Total number of calls. */
  get touched(): number {
    return Object.values(this.calls).reduce((sum, times) => sum + times, 0);
  }

  /** Returns the stored marks of the visitors of a counter. */
  visitorsOf(id: string): string[] {
    return [...this.#marks.get(counterId(id))?.visitors ?? []];
  }

  #number(id: CounterId): number {
    return this.#counters.get(id) ?? 0;
  }

  async salt(day: Day): Promise<string> {
    await this.#obey();
    return `salt of ${day}`;
  }

  #deduplicate({ id, hits }: OnceAddition): OnceOutcome[] {
    const total = this.#number(id);
    const known = this.#marks.get(id) ?? { keys: new Map(), visitors: new Set() };
    const { amount, outcomes, keys, visitors } = deduplicate(hits, { total, known });
    for (const [key, number] of keys) known.keys.set(key, number);
    for (const visitor of visitors) known.visitors.add(visitor);
    this.#marks.set(id, known);
    this.#counters.set(id, total + amount);
    return [...outcomes];
  }

  async #obey(): Promise<void> {
    await this.gate;
    if (typeof this.failure === "string") throw new Failure(this.failure);
    if (this.failure !== undefined) throw this.failure;
  }
}
