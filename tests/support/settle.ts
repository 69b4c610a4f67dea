/**
 * Waits for the end of all, and only then throws where one failed: what still ran would fail the
 * tests that follow.
 */
export async function settleAll<T>(running: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(running);
  return await Promise.all(running);
}
