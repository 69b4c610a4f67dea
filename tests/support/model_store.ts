import type { CounterId } from "../../src/domain/counter_id.ts";
import { type CounterState, type Day, padToDay } from "../../src/domain/history.ts";
import { deduplicate, type KnownKeys, type OnceOutcome } from "../../src/domain/once.ts";
import { applyUpdate } from "../../src/domain/update.ts";
import {
  type Addition,
  type CounterStore,
  type HistoryQuery,
  type ListOptions,
  type ListPage,
  MAX_HITS,
  type OnceAddition,
  type Outcome,
  type Write,
} from "../../src/domain/store.ts";
import { Failure } from "../../src/domain/errors.ts";

/** The specification of a store in its simplest form. Tests compare the real stores with it. */
export class ModelStore implements CounterStore {
  readonly source = "memory";
  readonly batches = 1;
  readonly idsPerBatch = 100;
  readonly sortedById = true;
  readonly counters = new Map<CounterId, CounterState>();
  readonly #marks = new Map<CounterId, KnownKeys>();
  readonly #today: () => Day;

  constructor(today: () => Day) {
    this.#today = today;
  }

  add(additions: readonly Addition[]): Promise<readonly Outcome[]> {
    return Promise.resolve(additions.map(({ id, amount }) => this.#add(id, amount)));
  }

  addOnce(
    additions: readonly OnceAddition[],
  ): Promise<readonly (readonly OnceOutcome[] | Failure)[]> {
    return Promise.resolve(additions.map((addition) => this.#addOnce(addition)));
  }

  write(writes: readonly Write[]): Promise<readonly CounterState[]> {
    return Promise.resolve(writes.map(({ id, update }) => {
      const held = this.#held(id);
      if (update === undefined) {
        this.counters.delete(id);
        this.#marks.delete(id);
      } else this.counters.set(id, applyUpdate(update, { held, today: this.#today() }));
      return held;
    }));
  }

  move(): Promise<CounterState> {
    throw new Error("The model of moves is that of additions");
  }

  salt(day: Day): Promise<string> {
    return Promise.resolve(`salt of ${day}`);
  }

  read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    return Promise.resolve(ids.map((id) => this.#held(id).hits));
  }

  history(questions: readonly HistoryQuery[]): Promise<readonly CounterState[]> {
    return Promise.resolve(questions.map(({ id }) => this.#held(id)));
  }

  async *list({ prefix, since }: ListOptions): AsyncGenerator<ListPage> {
    for (const [id, { hits, days }] of [...this.counters]) {
      if (!id.startsWith(prefix)) continue;
      yield {
        counters: [{ id, hits, days: since === undefined ? undefined : days }],
        foreign: 0,
      };
    }
  }

  check(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #held(id: CounterId): CounterState {
    return this.counters.get(id) ?? { hits: 0, days: undefined };
  }

  #addOnce({ id, hits }: OnceAddition): readonly OnceOutcome[] | Failure {
    const known = this.#marks.get(id) ?? { keys: new Map(), visitors: new Set() };
    const { amount, outcomes, keys, visitors } = deduplicate(hits, {
      total: this.#held(id).hits,
      known,
    });
    const total = this.#add(id, amount);
    if (total instanceof Failure) return total;
    this.#marks.set(id, {
      keys: new Map([...known.keys, ...keys]),
      visitors: known.visitors.union(visitors),
    });
    return outcomes;
  }

  #add(id: CounterId, amount: number): Outcome {
    const held = this.#held(id);
    const today = this.#today();
    const hits = held.hits + amount;
    if (hits > MAX_HITS) return new Failure("counter-full");
    const { newest, hits: [latest = 0, ...older] } = padToDay(
      held.days ?? { newest: today, hits: [] },
      today,
    );
    this.counters.set(id, { hits, days: { newest, hits: [latest + amount, ...older] } });
    return hits;
  }
}
