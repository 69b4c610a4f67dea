import { Batcher, type BatcherOptions, type CoalescedCall } from "../../src/counters/batcher.ts";
import type { Outcome } from "../../src/domain/store.ts";
import { BatchMeter } from "../../src/metrics.ts";

/** A batch that was sent, to be ended by the test. */
export interface SentBatch<Call, Outcome> {
  readonly calls: readonly Call[];
  ended: boolean;
  answer(outcomes: readonly Outcome[]): void;
  fail(problem: unknown): void;
}

/** Records a batch, and returns what its sender waits for. */
function recordBatch<Call, Outcome>(
  sent: SentBatch<Call, Outcome>[],
  calls: readonly Call[],
): Promise<readonly Outcome[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Outcome[]>();
  const batch: SentBatch<Call, Outcome> = {
    calls,
    ended: false,
    answer(outcomes) {
      batch.ended = true;
      resolve(outcomes);
    },
    fail(problem) {
      batch.ended = true;
      reject(problem);
    },
  };
  sent.push(batch);
  return promise;
}

/** The options that tests change. */
export type BatcherLimits = Partial<
  Pick<
    BatcherOptions<unknown, unknown, unknown>,
    "batches" | "idsPerBatch" | "fastStoreMs" | "deadlineMs"
  >
>;

/** Opens a batcher as the counters use it, whose batches the test ends. */
export function openBatcher<Key>(
  limits: BatcherLimits,
  inOrder?: (key: Key) => readonly string[],
) {
  const sent: SentBatch<CoalescedCall<Key, number>, Outcome>[] = [];
  const pending = { waiting: 0 };
  const batcher = new Batcher<Key, number>({
    batches: 1,
    meter: new BatchMeter(),
    idsPerBatch: 100,
    fastStoreMs: 0,
    deadlineMs: 60_000,
    timeout: "outcome-unknown",
    ...limits,
    ...inOrder && { inOrder },
    pending,
    send: (calls) => recordBatch(sent, calls),
  });
  const watch = setInterval(() => batcher.rejectTimedOut(), 10);
  return {
    batcher,
    sent,
    pending,
    async [Symbol.asyncDispose]() {
      await batcher.drain();
      clearInterval(watch);
    },
  };
}

/** Resolves after a turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
