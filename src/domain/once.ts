/** The keys by which a hit is recognized as a repeat. */
export interface DeduplicationKeys {
  /** The idempotency key. A hit with the same key within 24 hours is a repeat. */
  readonly key?: string;
  /** The code of a visitor, different for each counter. Later hits on the same day are repeats. */
  readonly visitor?: string;
  /** True if a new visitor is stored. */
  readonly remember?: boolean;
}

/** The outcome of a hit with deduplication keys. */
export interface OnceOutcome {
  /**
   * The number of the hit. For a repeat, the number of the first hit with its idempotency key, or
   * the current total if it is recognized by its visitor.
   */
  readonly hits: number;
  /** True if the hit is not counted. */
  readonly repeat: boolean;
}

/** Deduplication keys that are stored, or that are to be stored. */
export interface KnownKeys {
  /** The numbers of hits by their idempotency keys. */
  readonly keys: ReadonlyMap<string, number>;
  readonly visitors: ReadonlySet<string>;
}

/**
 * Counts hits of one counter in order, starting from a total. Returns the number of hits that
 * count, the outcome of each hit, and the keys to store.
 */
export function deduplicate(
  hits: readonly DeduplicationKeys[],
  { total, known }: { total: number; known: KnownKeys },
) {
  const keys = new Map<string, number>();
  const visitors = new Set<string>();
  let amount = 0;
  const outcomes = hits.map(({ key, visitor, remember }): OnceOutcome => {
    const first = key === undefined ? undefined : keys.get(key) ?? known.keys.get(key);
    if (first !== undefined) return { hits: first, repeat: true };
    const repeat = visitor !== undefined && (visitors.has(visitor) || known.visitors.has(visitor));
    if (!repeat) amount++;
    if (!repeat && visitor !== undefined && remember === true) visitors.add(visitor);
    if (key !== undefined) keys.set(key, total + amount);
    return { hits: total + amount, repeat };
  });
  return { amount, outcomes, keys, visitors };
}
