/** Replaces `performance.now` by a clock that the test advances. */
export function fakeClock(): AsyncDisposable & { pass(milliseconds: number): void } {
  const { now } = performance;
  let passed = 0;
  performance.now = () => now.call(performance) + passed;
  return {
    pass: (milliseconds) => void (passed += milliseconds),
    [Symbol.asyncDispose]: () => Promise.resolve(void (performance.now = now)),
  };
}
