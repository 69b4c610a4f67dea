import { type CounterId, counterId } from "../../counter/counter_id.ts";
import type { ListedCounter, ListOptions, ListPage, Outcome } from "../../counter/store.ts";
import type { Held } from "../../counter/days.ts";
import { Problem } from "../../problem.ts";
import { LISTED_AT_ONCE } from "./limits.ts";
import type { RedisReading } from "./reading.ts";
import type { StoreLink } from "./connection/link.ts";

/** See {@linkcode CounterStore.list}. */
export async function* listCounters(
  { link, reading, prefix }: {
    link: Pick<StoreLink, "scan">;
    reading: RedisReading;
    /** Stands before the id in a key. */
    prefix: string;
  },
  { prefix: beginning, since }: ListOptions,
): AsyncGenerator<ListPage> {
  const seen = new SeenTexts();
  for await (const keys of link.scan(prefix + beginning)) {
    // Redis gives a key again while it spreads them over more memory.
    const texts = keys.map((key) => key.slice(prefix.length)).filter((text) => seen.add(text));
    for (let start = 0; start < texts.length; start += LISTED_AT_ONCE) {
      const chunk = texts.slice(start, start + LISTED_AT_ONCE);
      const ids = chunk.filter(isId);
      const outcomes: readonly (Outcome | Held)[] = since === undefined
        ? await reading.read(ids)
        : await reading.history(ids.map((id) => ({ id, since })));
      const counters = ids.flatMap((id, index) => listed(id, outcomes[index]));
      yield { counters, foreign: chunk.length - counters.length };
    }
  }
}

/** A key that no request could name was not written by this service. */
function isId(text: string): text is CounterId {
  try {
    return text !== "" && counterId(text) === text;
  } catch {
    return false;
  }
}

/** The counter as it is listed; none for what is not one. */
function listed(id: CounterId, outcome: Outcome | Held | undefined): ListedCounter[] {
  if (outcome instanceof Problem && outcome.kind === "not-a-counter") return [];
  if (outcome instanceof Problem || outcome === undefined) throw outcome;
  const held = typeof outcome === "number" ? { hits: outcome, days: undefined } : outcome;
  return held.hits === 0 && id.includes(UNREADABLE) ? [] : [{ id, ...held }];
}

/** Stands for bytes of a key that are no UTF-8: read by this text, that counter is not there. */
const UNREADABLE = "\ufffd";

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
