/**
 * Replaces `performance.now` by a clock that the test advances. A stopped one does not go on by
 * itself.
 */
export function fakeClock(
  { isStopped = false } = {},
): AsyncDisposable & { pass(milliseconds: number): void } {
  const { now } = performance;
  // Whole, because the sum of another and of the milliseconds that pass may be rounded down.
  const start = Math.ceil(performance.now());
  let passed = 0;
  performance.now = () => (isStopped ? start : now.call(performance)) + passed;
  return {
    pass: (milliseconds) => void (passed += milliseconds),
    [Symbol.asyncDispose]: () => Promise.resolve(void (performance.now = now)),
  };
}

interface Timer {
  due: number;
  readonly run: () => void;
  /** Milliseconds until it is due again, if it is. */
  readonly interval: number | undefined;
}

/**
 * Replaces `performance.now` and the timers by those of a clock that does not move while anything
 * runs. When nothing does, it is at once as late as the next timer wants it.
 */
export function skippingClock(): AsyncDisposable & { pass(milliseconds: number): void } {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { now } = performance;
  const timers = new Map<number, Timer>();
  let time = Math.ceil(performance.now());
  // Larger than the numbers of the timers that were set before.
  let last = Number.MAX_SAFE_INTEGER / 2;
  let isOver = false;
  const set = (run: () => void, milliseconds = 0, interval?: number) => {
    timers.set(++last, { due: time + milliseconds, run, interval });
    return last;
  };
  const clear = (timer?: number) => timers.delete(timer ?? 0) || clearTimeout(timer);
  performance.now = () => time;
  Object.assign(globalThis, {
    setTimeout: (run: () => void, milliseconds?: number) => set(run, milliseconds),
    setInterval: (run: () => void, interval: number) => set(run, interval, interval),
    clearTimeout: clear,
    clearInterval: clear,
  });

  const running = (async () => {
    while (!isOver) {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      const [next] = [...timers].sort(([, one], [, other]) => one.due - other.due);
      if (next === undefined || isOver) continue;
      const [number, { due, run, interval }] = next;
      time = Math.max(time, due);
      if (interval === undefined) timers.delete(number);
      else timers.set(number, { due: time + interval, run, interval });
      run();
    }
  })();

  return {
    pass: (milliseconds) => void (time += milliseconds),
    async [Symbol.asyncDispose]() {
      isOver = true;
      await running;
      performance.now = now;
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
      if (timers.size > 0) throw new Error(`End a clock: ${timers.size} timers are left`);
    },
  };
}
