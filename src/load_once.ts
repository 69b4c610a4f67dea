/** Why something could not be loaded, such as that there were no file descriptors left. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}

/** Loads once for all callers, and throws a {@linkcode LoadError} if that fails; the next call tries again. */
export function loadOnce<Thing>(load: () => Promise<Thing>): () => Promise<Thing> {
  let loading: Promise<Thing> | undefined;
  return () =>
    loading ??= load().catch((cause) => {
      loading = undefined;
      throw cause instanceof LoadError ? cause : new LoadError("Load a part", { cause });
    });
}
