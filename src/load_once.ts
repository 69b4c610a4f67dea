/** Reports that something could not be loaded, for example for lack of file descriptors. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}

/**
 * Returns a function that loads once for all callers. Throws a {@linkcode LoadError} if loading
 * fails. The next call tries again.
 */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () =>
    loading ??= load().catch((cause) => {
      loading = undefined;
      throw cause instanceof LoadError
        ? cause
        : new LoadError("Failed to load a module", { cause });
    });
}
