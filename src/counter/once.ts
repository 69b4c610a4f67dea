/** What makes a hit the same as one before. */
export interface DeduplicationKeys {
  /** Chosen by the caller: a hit with the same key, within 24 hours, is sent again and was counted already. */
  readonly key?: string;
  /** The code of a visitor, different for each counter: one that came on this day already is not counted again. */
  readonly visitor?: string;
  /** Whether a new visitor is remembered. */
  readonly remember?: boolean;
}

/** What became of a hit with deduplication keys. */
export interface OnceOutcome {
  /** Its number; of a repeat, the first number if it is known by its key, or the present one if by its visitor. */
  readonly hits: number;
  /** Whether it was counted already. */
  readonly repeat: boolean;
}

/** The deduplication keys that are stored already. */
export interface KnownKeys {
  /** The numbers of hits by their keys. */
  readonly keys: ReadonlyMap<string, number>;
  readonly visitors: ReadonlySet<string>;
}

/** What hits with deduplication keys come to, and the new keys that they leave. */
export interface DedupResult {
  /** How many of them count. */
  readonly amount: number;
  readonly outcomes: readonly OnceOutcome[];
  readonly keys: ReadonlyMap<string, number>;
  readonly visitors: ReadonlySet<string>;
}

/** Counts hits of one counter, one after the other, on top of a total. */
export function deduplicate(
  hits: readonly DeduplicationKeys[],
  { total, known }: { total: number; known: KnownKeys },
): DedupResult {
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
