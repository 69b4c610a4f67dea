import { type CounterId, counterId } from "../../src/counter/counter_id.ts";
import { countOnce } from "../../src/counter/once.ts";
import type { Day, Held } from "../../src/counter/days.ts";
import type {
  Change,
  ChangeOutcome,
  CounterStore,
  HistoryQuestion,
  ListPage,
  OnceAddition,
  Outcome,
} from "../../src/counter/store.ts";
import { Problem, type ProblemName } from "../../src/problem.ts";

/** A store that fails on demand, as no real one does: for the answers to failures only. */
export class ScriptedStore implements CounterStore {
  readonly source = "redis";
  readonly batches = 1;
  readonly idsPerBatch = 100;
  readonly importPortion = 50_000;
  readonly importById = true;
  /** How often each operation was called. */
  readonly calls = { change: 0, read: 0, history: 0, list: 0, check: 0 };
  /** What every call fails with; undefined where it works. */
  failure: ProblemName | Error | undefined;
  /** The shards that take no hits. */
  shardsAway: readonly string[] = [];
  /** What every call waits for before it does anything. */
  gate: Promise<void> | undefined;
  readonly #counters = new Map<CounterId, number>();
  readonly #marks = new Map<CounterId, { keys: Map<string, number>; visitors: Set<string> }>();

  async change(changes: readonly Change[]): Promise<readonly ChangeOutcome[]> {
    this.calls.change++;
    await this.#obey();
    return changes.map((change) => this.#carryOut(change));
  }

  async read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    this.calls.read++;
    await this.#obey();
    return ids.map((id) => this.#number(id));
  }

  async history(questions: readonly HistoryQuestion[]): Promise<readonly Held[]> {
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

  /** How often the store was asked for anything. */
  get touched(): number {
    return Object.values(this.calls).reduce((sum, times) => sum + times, 0);
  }

  /** What is remembered of the visitors of a counter. */
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

  #carryOut(change: Change): ChangeOutcome {
    const { id, kind } = change;
    const hits = this.#number(id);
    if (kind === "once") return this.#countOnce(change);
    if (kind === "delete") this.#counters.delete(id);
    else this.#counters.set(id, kind === "set" ? change.hits : hits + change.amount);
    return kind === "add" ? this.#number(id) : { hits, days: undefined };
  }

  #countOnce({ id, hits }: OnceAddition): ChangeOutcome {
    const total = this.#number(id);
    const known = this.#marks.get(id) ?? { keys: new Map(), visitors: new Set() };
    const { amount, outcomes, keys, visitors } = countOnce(hits, { total, known });
    for (const [key, number] of keys) known.keys.set(key, number);
    for (const visitor of visitors) known.visitors.add(visitor);
    this.#marks.set(id, known);
    this.#counters.set(id, total + amount);
    return outcomes;
  }

  async #obey(): Promise<void> {
    await this.gate;
    if (typeof this.failure === "string") throw new Problem(this.failure);
    if (this.failure !== undefined) throw this.failure;
  }
}
