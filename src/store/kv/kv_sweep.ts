import { OWN } from "./kv_keys.ts";
import { generationAt } from "./kv_marks.ts";

/** How many marks end in one commit: hits that come meanwhile wait no longer for it than for one of theirs. */
const AT_ONCE = 100;
/** How often marks are looked for that are over, and when after the start where nobody leaves one. */
const INTERVAL_MS = 3_600_000;
const FIRST_AFTER_MS = 60_000;

/** What removes marks; nobody else may write marks of their kind meanwhile. */
export interface Sweeper {
  /** Sweeps now and every hour from now on, unless it does so already. */
  begin(): void;
  end(): Promise<void>;
}

/** What removes the marks of keys and visitors, and the salts, of days that are over: nothing here expires by itself. */
export function createSweeper(kv: Deno.Kv, today: () => number): Sweeper {
  let interval: ReturnType<typeof setInterval> | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let ended = false;

  async function sweep(): Promise<void> {
    // Keys are looked for in the generation before as well; visitors and salts of yesterday may be those of a hit that is
    // under way.
    await removeBefore([OWN, "once"], generationAt(Date.now()) - 1);
    await removeBefore([OWN, "seen"], today() - 1);
    await removeBefore([OWN, "salt"], today() - 1);
  }

  async function removeBefore(prefix: Deno.KvKey, first: number): Promise<void> {
    const entries = kv.list({ prefix, end: [...prefix, first] }, { batchSize: AT_ONCE });
    let keys: Deno.KvKey[] = [];
    for await (const { key } of entries) {
      if (keys.push(key) === AT_ONCE) keys = await remove(keys);
      if (ended) return;
    }
    await remove(keys);
  }

  /** Pauses as long as it took, so that hits have half of the time at least. */
  async function remove(keys: readonly Deno.KvKey[]): Promise<Deno.KvKey[]> {
    if (keys.length === 0) return [];
    const start = performance.now();
    const operation = kv.atomic();
    for (const key of keys) operation.delete(key);
    await operation.commit();
    await new Promise((resolve) => setTimeout(resolve, performance.now() - start));
    return [];
  }

  function sweepNext(): void {
    // What it does not get to now is there in an hour.
    sweeping = sweeping.then(sweep).catch(() => {});
  }

  function begin(): void {
    if (interval !== undefined || ended) return;
    interval = setInterval(sweepNext, INTERVAL_MS);
    sweepNext();
  }

  const soon = AbortSignal.timeout(FIRST_AFTER_MS);
  soon.onabort = begin;
  return {
    begin,
    async end() {
      ended = true;
      soon.onabort = null;
      clearInterval(interval);
      await sweeping;
    },
  };
}
