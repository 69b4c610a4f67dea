/** The outcomes of a batch; where a store gave another number of them nobody's is known, and all are told so. */
export function matching<Result>(
  groups: readonly unknown[],
  outcomes: readonly Result[],
): readonly (Result | Error)[] {
  if (outcomes.length === groups.length) return outcomes;
  const error = new Error(
    `Answer a batch of ${groups.length} ids: the store gave ${outcomes.length} outcomes`,
  );
  return groups.map(() => error);
}

/** What went wrong with a batch, for all who wait for it. */
export function failed(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
