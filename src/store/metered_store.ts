import type { Change, ChangeOutcome, CounterStore } from "../counter/store.ts";
import type { BatchMeter, Metrics } from "../metrics.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import { createStoreHealth, type StoreHealth } from "./store_health.ts";

/** A store whose calls are counted, and the hits that they bring. */
export function meteredStore(store: CounterStore, metrics: Metrics): CounterStore {
  const changes = metrics.batchesOf("change");
  const reads = metrics.batchesOf("read");
  const histories = metrics.batchesOf("history");

  function note(change: Change, outcome: ChangeOutcome | undefined): void {
    if (outcome === undefined) return;
    if (!(outcome instanceof Problem)) metrics.hits += hitsCounted(change, outcome);
    else if (outcome.kind === "outcome-unknown") metrics.unknownHits += hitsAsked(change);
  }

  return {
    ...store,
    change: (batch) =>
      metered(changes, batch, () =>
        store.change(batch).then((outcomes) => {
          batch.forEach((change, index) => note(change, outcomes[index]));
          return outcomes;
        }, (problem) => {
          for (const change of batch) note(change, problem);
          throw problem;
        })),
    read: (ids) => metered(reads, ids, () => store.read(ids)),
    history: (wanted) => metered(histories, wanted, () => store.history(wanted)),
  };
}

/** How many hits a change is to bring. */
function hitsAsked(change: Change): number {
  if (change.kind === "add") return change.amount;
  return change.kind === "once" ? change.hits.length : 0;
}

/** How many it brought: of those that count once, the others are repeats. */
function hitsCounted(change: Change, outcome: Exclude<ChangeOutcome, Problem>): number {
  const single = typeof outcome === "number" || !("length" in outcome);
  return single ? hitsAsked(change) : outcome.filter(({ repeat }) => !repeat).length;
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
