import type { Endpoint } from "./endpoint.ts";

/** The endpoints of a path that a start does not wait for: they are loaded soon after it, or by the first request for it. */
export interface Later {
  readonly path: string;
  readonly load: () => Promise<readonly Endpoint[]>;
}

/** An endpoint, or some that are to be loaded. */
export type Listed = Endpoint | Later;

/** Lists the endpoints of a path that are to be loaded, which happens once. */
export function later(path: string, load: () => Promise<readonly Endpoint[]>): Later {
  return { path, load: loadOnce(load) };
}

/** Why something could not be loaded, such as that there were no descriptors left. */
export class NotLoaded extends Error {
  override readonly name = "NotLoaded";
}

/** Loads once for all who ask, and throws {@linkcode NotLoaded} where that fails; whoever asks after that tries again. */
export function loadOnce<Thing>(load: () => Promise<Thing>): () => Promise<Thing> {
  let loading: Promise<Thing> | undefined;
  return () =>
    loading ??= load().catch((cause) => {
      loading = undefined;
      throw cause instanceof NotLoaded ? cause : new NotLoaded("Load a part", { cause });
    });
}

/** Whether these are endpoints that are to be loaded. */
export function isLater(listed: Listed): listed is Later {
  return "load" in listed;
}

/** Every endpoint of a list, in its order. */
export async function allOf(list: readonly Listed[]): Promise<readonly Endpoint[]> {
  const loaded = await Promise.all(
    list.map((listed) => isLater(listed) ? listed.load() : [listed]),
  );
  return loaded.flat();
}
