/** A map that keeps the entries set last and forgets the others, so that it never grows past its capacity. */
export class Recent<Key, Value> {
  readonly #entries = new Map<Key, Value>();

  /** `capacity` is how many entries are kept at most. */
  constructor(readonly capacity: number) {}

  /** How many entries are kept. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Sets an entry, also one that is there, which makes it the one set last. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.capacity) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
