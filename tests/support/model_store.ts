import type { CounterId } from "../../src/counter/counter_id.ts";
import { type Day, type Held, upTo } from "../../src/counter/days.ts";
import { countOnce, type KnownMarks } from "../../src/counter/once.ts";
import { applied } from "../../src/counter/setting.ts";
import {
  type Change,
  type ChangeOutcome,
  type CounterStore,
  type HistoryQuestion,
  type ListOptions,
  type ListPage,
  MAX_HITS,
  type Outcome,
} from "../../src/counter/store.ts";
import { Problem } from "../../src/problem.ts";

/** What every store shall do, written down as plainly as can be: what the real ones are held against. */
export class ModelStore implements CounterStore {
  readonly source = "memory";
  readonly batches = 1;
  readonly idsPerBatch = 100;
  readonly importPortion = 50_000;
  readonly importById = true;
  readonly counters = new Map<CounterId, Held>();
  readonly #marks = new Map<CounterId, KnownMarks>();
  readonly #today: () => Day;

  constructor(today: () => Day) {
    this.#today = today;
  }

  change(changes: readonly Change[]): Promise<readonly ChangeOutcome[]> {
    return Promise.resolve(changes.map((change) => this.#carryOut(change)));
  }

  salt(day: Day): Promise<string> {
    return Promise.resolve(`salt of ${day}`);
  }

  read(ids: readonly CounterId[]): Promise<readonly Outcome[]> {
    return Promise.resolve(ids.map((id) => this.#held(id).hits));
  }

  history(questions: readonly HistoryQuestion[]): Promise<readonly Held[]> {
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

  #held(id: CounterId): Held {
    return this.counters.get(id) ?? { hits: 0, days: undefined };
  }

  #carryOut(change: Change): ChangeOutcome {
    const held = this.#held(change.id);
    const today = this.#today();
    switch (change.kind) {
      case "delete":
        this.counters.delete(change.id);
        return held;
      case "set":
        this.counters.set(change.id, applied(change, { held, today }));
        return held;
      case "add":
        return this.#add(change.id, change.amount);
      case "once": {
        const known = this.#marks.get(change.id) ?? { keys: new Map(), visitors: new Set() };
        const { amount, outcomes, keys, visitors } = countOnce(change.hits, {
          total: held.hits,
          known,
        });
        const total = this.#add(change.id, amount);
        if (total instanceof Problem) return total;
        this.#marks.set(change.id, {
          keys: new Map([...known.keys, ...keys]),
          visitors: known.visitors.union(visitors),
        });
        return outcomes;
      }
    }
  }

  #add(id: CounterId, amount: number): Outcome {
    const held = this.#held(id);
    const today = this.#today();
    const hits = held.hits + amount;
    if (hits > MAX_HITS) return new Problem("counter-full");
    const { newest, hits: [latest = 0, ...older] } = upTo(
      held.days ?? { newest: today, hits: [] },
      today,
    );
    this.counters.set(id, { hits, days: { newest, hits: [latest + amount, ...older] } });
    return hits;
  }
}
