/**
 * A map that remembers the entries set last: so many for sure, and never more than twice as many.
 *
 * Two generations take turns, as deleting the oldest entry one by one would leave a map full of gaps to be skipped.
 */
export class BoundedMap<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** `capacity` is how many entries are kept for sure, at least 1. */
  constructor(readonly capacity: number) {}

  /** How many entries are kept. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Sets an entry, also one that is there, which makes it the one set last. */
  set(key: Key, value: Value): void {
    // Looked up once: nearly all are there already, or find room.
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
