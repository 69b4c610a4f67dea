/** Time after which work pauses, in milliseconds. */
const SLICE_MS = 30;

/**
 * Returns a function that pauses if it is time to, so that the page can draw and answer. It throws
 * once the signal is aborted.
 */
export function createPauses(signal?: AbortSignal): () => Promise<void> {
  let next = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < next) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    next = performance.now() + SLICE_MS;
  };
}

/** Yields the pieces of a stream, with pauses in between. Safari 26 cannot iterate streams. */
export async function* piecesOf<Piece>(stream: ReadableStream<Piece>): AsyncGenerator<Piece> {
  const reader = stream.getReader();
  const rest = createPauses();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
    await rest();
  }
}
