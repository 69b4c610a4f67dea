import { FAR_AWAY_MS } from "./time_limit.ts";

/** Options of `waitFor`, in milliseconds. */
export type WaitOptions = { timeout?: number; interval?: number };

/** Maximum pause between two questions unless the interval is longer, in milliseconds. */
const MAX_PAUSE_MS = 50;

/**
 * Asks `probe` again and again until it returns something other than undefined; throws after the
 * time limit, which is far away. The pauses grow from the interval, because tests that wait long
 * would otherwise take the processor from what they wait for.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | Promise<T | undefined>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeout = FAR_AWAY_MS, interval = 5 } = options;
  const end = performance.now() + timeout;
  for (let pause = interval;; pause = Math.max(interval, Math.min(1.5 * pause, MAX_PAUSE_MS))) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`Wait for ${what}: not within ${timeout} ms`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
