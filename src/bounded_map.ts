/**
 * A map of the entries that were set last. It keeps at least `capacity` of them and at most twice
 * as many.
 *
 * Entries are evicted a generation at a time. Deleting the oldest one by one would leave gaps in
 * the map, which iteration has to skip.
 */
export class BoundedMap<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** `capacity` is at least 1. */
  constructor(readonly capacity: number) {}

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Sets an entry, which becomes the one set last. */
  set(key: Key, value: Value): void {
    // Set first, because most keys exist or have room, which takes a single lookup.
    this.#young.set(key, value);
    if (this.#young.size <= this.capacity) return;
    this.#young.delete(key);
    this.#old = this.#young;
    this.#young = new Map([[key, value]]);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

/**
 * Caches the results of a conversion, at least the `capacity` last ones. Does not cache undefined,
 * because an invalid text may be long.
 */
export function cached<From, To>(
  capacity: number,
  convert: (from: From) => To,
): (from: From) => To {
  const known = new BoundedMap<From, To>(capacity);
  return (from) => {
    let to = known.get(from);
    if (to !== undefined) return to;
    to = convert(from);
    if (to !== undefined) known.set(from, to);
    return to;
  };
}
