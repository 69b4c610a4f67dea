const PREFETCHING = /\bprefetch\b/i;

/** Tells that an answer was made for a prefetch, which is not counted. */
export const PREFETCH = { "x-tallymark": "prefetch" };

/** Whether a browser fetches this before anyone asked to see it (Fetch standard, "Sec-Purpose header"). */
export function isPrefetch({ headers }: Request): boolean {
  return PREFETCHING.test(headers.get("sec-purpose") ?? "") ||
    PREFETCHING.test(headers.get("purpose") ?? "");
}
