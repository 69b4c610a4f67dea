import type { CounterStore } from "../counter/store.ts";
import type { BatchMeter, Metrics } from "../metrics.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import { createStoreHealth, type StoreHealth } from "./store_health.ts";

/** A store whose calls are counted, and the hits that they bring. */
export function meteredStore(store: CounterStore, metrics: Metrics): CounterStore {
  const changes = metrics.batchesOf("change");
  const reads = metrics.batchesOf("read");
  const histories = metrics.batchesOf("history");

  /** Sends a batch of hits and takes down how many of them were counted, or may have been. */
  async function hits<Sent, Result>(
    batch: readonly Sent[],
    { send, asked, counted }: {
      send(batch: readonly Sent[]): Promise<readonly (Result | Problem)[]>;
      asked(addition: Sent): number;
      counted(addition: Sent, result: Result): number;
    },
  ): Promise<readonly (Result | Problem)[]> {
    try {
      const outcomes = await metered(changes, batch, () => send(batch));
      batch.forEach((addition, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) return;
        if (!(outcome instanceof Problem)) metrics.hits += counted(addition, outcome);
        else if (outcome.kind === "outcome-unknown") metrics.unknownHits += asked(addition);
      });
      return outcomes;
    } catch (problem) {
      if (problem instanceof Problem && problem.kind === "outcome-unknown") {
        for (const addition of batch) metrics.unknownHits += asked(addition);
      }
      throw problem;
    }
  }

  return {
    ...store,
    add: (additions) =>
      hits(additions, {
        send: store.add,
        asked: ({ amount }) => amount,
        counted: ({ amount }) => amount,
      }),
    addOnce: (additions) =>
      hits(additions, {
        send: store.addOnce,
        asked: ({ hits }) => hits.length,
        counted: (_, outcomes) => outcomes.filter(({ repeat }) => !repeat).length,
      }),
    write: (writes) => metered(changes, writes, () => store.write(writes)),
    read: (ids) => metered(reads, ids, () => store.read(ids)),
    history: (wanted) => metered(histories, wanted, () => store.history(wanted)),
  };
}

function metered<Result>(
  meter: BatchMeter,
  { length }: readonly unknown[],
  call: () => Promise<Result>,
): Promise<Result> {
  const since = performance.now();
  meter.batches++;
  meter.ids += length;
  return call().finally(() => meter.durations.observe((performance.now() - since) / 1000));
}

/** What the metrics call a store that is one node. */
export const WHOLE = "store";

/** The health of a store, or of one of its nodes, that the log and the metrics tell. */
export function meteredHealth(
  { log, metrics, node }: { log: Log; metrics: Metrics; node: string | undefined },
): StoreHealth {
  const name = node ?? WHOLE;
  metrics.nodes.set(name, true);
  return createStoreHealth(log, {
    node,
    onChange(well) {
      // One that is gone may still tell of its end.
      if (metrics.nodes.has(name)) metrics.nodes.set(name, well);
    },
  });
}
