/** How many are expected at first. */
const FIRST_CAPACITY = 1024;

/**
 * Texts that were seen, told apart by 64 random bits each instead of by themselves: a million take some 16 MB. Two of a
 * million are taken for one less often than once in ten million times.
 */
export class SeenTexts {
  /** Two words for each; both are 0 where there is none. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #size = 0;
  readonly #seeds = crypto.getRandomValues(new Uint32Array(2));

  /** Adds a text, and says whether it is new. */
  add(text: string): boolean {
    const [first = 0, second = 0] = this.#seeds;
    const isNew = this.#put(hash(text, first) | 1, hash(text, second));
    if (isNew && ++this.#size * 4 > this.#slots.length) this.#grow();
    return isNew;
  }

  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = low << 1 & mask;
    for (; slots[at] !== 0; at = at + 2 & mask) {
      if (slots[at] === high >>> 0 && slots[at + 1] === low >>> 0) return false;
    }
    slots[at] = high;
    slots[at + 1] = low;
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = old.subarray(at, at + 2);
      if (high !== 0) this.#put(high, low);
    }
  }
}

/** MurmurHash3 (Austin Appleby), a character at a time. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) {
    let part = Math.imul(text.charCodeAt(at), 0xcc9e2d51);
    part = Math.imul(part << 15 | part >>> 17, 0x1b873593);
    value ^= part;
    value = Math.imul(value << 13 | value >>> 19, 5) + 0xe6546b64 | 0;
  }
  value ^= text.length;
  value = Math.imul(value ^ value >>> 16, 0x85ebca6b);
  value = Math.imul(value ^ value >>> 13, 0xc2b2ae35);
  return value ^ value >>> 16;
}
