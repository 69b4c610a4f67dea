import { FAR_AWAY_MS } from "./time_limit.ts";

/** Options of `waitFor`, in milliseconds. */
export type WaitOptions = { timeout?: number; interval?: number };

/** Maximum pause between two questions unless the interval is longer, in milliseconds. */
const MAX_PAUSE_MS = 50;

/** Returned by a probe that has found nothing yet. A comparison and `RegExp.exec()` do so, too. */
type Nothing = undefined | null | false;

/**
 * Asks `probe` again and again until it finds something; throws after the time limit, which is far
 * away. The pauses grow from the interval, because tests that wait long would otherwise take the
 * processor from what they wait for.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | Nothing | Promise<T | Nothing>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeout = FAR_AWAY_MS, interval = 5 } = options;
  const end = performance.now() + timeout;
  for (let pause = interval;; pause = Math.max(interval, Math.min(1.5 * pause, MAX_PAUSE_MS))) {
    const found = await probe();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`Wait for ${what}: not within ${timeout} ms`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
