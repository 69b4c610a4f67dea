import type { Audience, Sharing } from "./answer.ts";

/** Who may read counters, and what follows from it for every answer to a read. */
export interface Readers {
  /** Whether anyone may, and so any page and cache. */
  readonly areAnyone: boolean;
  readonly audience: Audience;
  /** How an answer is shared that caches may keep like this where anyone may read. */
  sharing(cacheControl: string): Sharing;
}

/** Everyone, where reads are open; else whoever has the secret. */
export function readersOf(openReads: boolean): Readers {
  const audience = openReads ? "any" : "none";
  return {
    areAnyone: openReads,
    audience,
    sharing: (cacheControl) => ({
      cacheControl: openReads ? cacheControl : "private, no-store",
      audience,
    }),
  };
}
