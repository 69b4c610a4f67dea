import type { CounterId } from "../../src/counter/counter_id.ts";
import { type Day, type Held, upTo } from "../../src/counter/days.ts";
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
  readonly counters = new Map<CounterId, Held>();
  readonly #today: () => Day;

  constructor(today: () => Day) {
    this.#today = today;
  }

  change(changes: readonly Change[]): Promise<readonly ChangeOutcome[]> {
    return Promise.resolve(changes.map((change) => this.#carryOut(change)));
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
      case "add": {
        const hits = held.hits + change.amount;
        if (hits > MAX_HITS) return new Problem("counter-full");
        const { newest, hits: [latest = 0, ...older] } = upTo(
          held.days ?? { newest: today, hits: [] },
          today,
        );
        this.counters.set(change.id, {
          hits,
          days: { newest, hits: [latest + change.amount, ...older] },
        });
        return hits;
      }
    }
  }
}
