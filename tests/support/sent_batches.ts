/** A batch that was sent, to be ended by the test. */
export interface SentBatch<Call, Outcome> {
  readonly calls: readonly Call[];
  ended: boolean;
  answer(outcomes: readonly Outcome[]): void;
  fail(problem: unknown): void;
}

/** Records a batch, and returns what its sender waits for. */
export function recordBatch<Call, Outcome>(
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

/** Resolves after a turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
