/** Time after which work pauses, so that the page can draw and answer, in milliseconds. */
const SLICE_MS = 30;

/** Returns a function that pauses if it is time to. It throws once the signal is aborted. */
export function createPauses(signal?: AbortSignal): () => Promise<void> {
  let next = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < next) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    next = performance.now() + SLICE_MS;
  };
}
