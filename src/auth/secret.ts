import { type CounterId, counterId } from "../counter/counter_id.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";

/**
 * Minimum length of a secret for keys. A shorter one could be guessed from a public counter key.
 */
export const MIN_SECRET_LENGTH = 16;

/** The key of the counter itself, or of a prefix of its id. */
export type KeyKind = "own" | KeyPrefix;

/** Capacity of the cache of counters and their last valid keys. */
const CACHE_SIZE = 10_000;

/** A secret and the keys that are made of it. All comparisons take constant time. */
export class Secret {
  readonly #text: string;
  /** Undefined until a request needs it. */
  #digest: string | undefined;
  // A hash takes 10 of the 15 µs of a request, so that secrets and keys that matched are cached.
  // Others are not, because guesses would fill the memory.
  readonly #knownSecrets = new Set<string>();
  readonly #knownKeys = new BoundedMap<CounterId, { key: string; kind: KeyKind }>(CACHE_SIZE);

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Reports whether a text is the secret. A set finds a text by its hash, so that the time does not
   * show how much of the text matches.
   */
  matches(given: string | undefined): boolean {
    if (!given) return false;
    if (this.#knownSecrets.has(given)) return true;
    const isSecret = sameText(this.#digest ??= digestOf(this.#text), digestOf(given));
    if (isSecret) this.#knownSecrets.add(given);
    return isSecret;
  }

  /**
   * Returns the key of a counter, the key of a prefix, or the key that reads the counters with that
   * prefix. It is the first 16 bytes of an HMAC, which are as hard to guess as 128 random bits (RFC
   * 2104, section 5).
   */
  keyOf(kind: "counter" | "prefix" | "read", name: CounterId | KeyPrefix): string {
    return this.#hmac(`${kind}:${name}`).subarray(0, 16).toString("base64url");
  }

  /** Returns the kind of a key of the counter. Returns undefined if it is not one. */
  keyKind(id: CounterId, given: string): KeyKind | undefined {
    const known = this.#knownKeys.get(id);
    if (known !== undefined && sameText(known.key, given)) return known.kind;
    const kind = sameText(this.keyOf("counter", id), given)
      ? "own"
      : prefixesOf(id).find((prefix) => sameText(this.keyOf("prefix", prefix), given));
    if (kind !== undefined) this.#knownKeys.set(id, { key: given, kind });
    return kind;
  }

  /** Returns the prefix of an id whose read key this is. Returns undefined if there is none. */
  readPrefix(id: CounterId, given: string): KeyPrefix | undefined {
    return prefixesOf(id).find((prefix) => sameText(this.keyOf("read", prefix), given));
  }

  /** Returns a code of a text that cannot be made without the secret. */
  codeOf(text: string): string {
    return this.#hmac(text).toString("base64url");
  }

  #hmac(text: string) {
    return nodeCrypto().createHmac("sha256", this.#text).update(text).digest();
  }
}

/** Loads node:crypto, which would add 20 ms to every start. */
const nodeCrypto = () => globalThis.process.getBuiltinModule("node:crypto");

/** Returns a digest in hexadecimal, because comparing texts is faster than creating Buffers. */
function digestOf(text: string): string {
  return nodeCrypto().createHash("sha256").update(text).digest("hex");
}

/** Compares in constant time. The length is not secret. */
export function sameText(expected: string, given: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}

declare const brand: unique symbol;

/** A prefix that has keys: normalized like an id and ending in a slash. */
export type KeyPrefix = string & { readonly [brand]: true };

/** Maximum number of prefixes whose keys are computed to check one key. */
const MAX_PREFIXES = 8;

/** Parses a prefix. Throws "bad-query" or "bad-id" if it is invalid. */
export function keyPrefix(text: string): KeyPrefix {
  if (!text.trim().endsWith("/")) {
    throw new Problem("bad-query", {
      detail: "A prefix ends in a slash, as in prefix=blog/.",
    });
  }
  const id = counterId(text);
  const prefix = prefixesOf(id).at(-1);
  if (prefix?.length === id.length) return prefix;
  throw new Problem("bad-query", {
    detail: `A prefix may have at most ${MAX_PREFIXES} slashes.`,
  });
}

/** Returns the prefixes of an id that have keys, the shortest first. */
export function prefixesOf(id: CounterId): readonly KeyPrefix[] {
  return [...id.matchAll(/\//g)].slice(0, MAX_PREFIXES)
    // The beginning of a valid id up to a slash is a prefix.
    .map(({ index }) => id.slice(0, index + 1) as KeyPrefix);
}
