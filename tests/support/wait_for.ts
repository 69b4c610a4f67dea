import { FAR_AWAY_MS } from "./time_limit.ts";

/** Options of `waitFor`, in milliseconds. */
export type WaitOptions = { timeout?: number; interval?: number };

/**
 * Asks `probe` again and again until it returns something other than undefined; throws after the
 * time limit, which is far away.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeout = FAR_AWAY_MS, interval = 5 } = options;
  const end = performance.now() + timeout;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`Wait for ${what}: not within ${timeout} ms`);
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}
