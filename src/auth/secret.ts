import { type CounterId, counterId } from "../counter/counter_id.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";

/**
 * Minimum length of a secret for keys. A shorter one could be guessed from a public counter key.
 */
export const MIN_SECRET_LENGTH = 16;

export interface Secret {
  /** Reports whether a text is the secret, in constant time. */
  matches(given: string | Uint8Array): boolean;
  keyOf(id: CounterId): string;
  familyKeyOf(prefix: FamilyPrefix): string;
  readKeyOf(prefix: FamilyPrefix): string;
  /**
   * Returns the prefix of an id whose read key this is, in constant time. Returns undefined if
   * there is none.
   */
  readPrefix(id: CounterId, given: string): FamilyPrefix | undefined;
  /**
   * Returns the kind of a key of the counter, in constant time. Returns undefined if it is not a
   * key of the counter.
   */
  keyKind(id: CounterId, given: string): KeyKind | undefined;
  /** Returns a code of a text that cannot be made without the secret. */
  codeOf(text: string): string;
  /** Reports whether a code is that of a text, in constant time. */
  matchesCode(given: string, text: string): boolean;
}

/** The key of the counter itself, or of a prefix of its id. */
export type KeyKind = "own" | FamilyPrefix;

/** Minimum number of counters whose last valid key is cached. */
const CACHE_SIZE = 10_000;

/** Opens a secret. Loads node:crypto, which would add 20 ms to every start. */
export async function openSecret(text: string): Promise<Secret> {
  const { createHash, createHmac } = await import("node:crypto");
  const expected = digest(text);
  // A hash takes 10 of the 15 µs of a request, so that secrets and keys that matched are cached.
  // Others are not, because guesses would fill the memory.
  const knownSecrets = new Set<string>();
  const knownKeys = new BoundedMap<CounterId, { key: string; kind: KeyKind }>(CACHE_SIZE);

  /** Returns a digest in hexadecimal, because comparing texts is faster than creating Buffers. */
  function digest(given: string | Uint8Array): string {
    return createHash("sha256").update(given).digest("hex");
  }

  /**
   * A set finds a text by its hash, so that the time does not show how much of the text matches.
   */
  function matches(given: string | Uint8Array): boolean {
    if (typeof given !== "string") return sameText(expected, digest(given));
    if (knownSecrets.has(given)) return true;
    const right = sameText(expected, digest(given));
    if (right) knownSecrets.add(given);
    return right;
  }

  /**
   * Returns the first 16 bytes of an HMAC, which are as hard to guess as 128 random bits (RFC 2104,
   * section 5).
   */
  function keyTo(what: string): string {
    return hmac(what).subarray(0, 16).toString("base64url");
  }

  function codeOf(given: string): string {
    return hmac(given).toString("base64url");
  }

  function hmac(given: string) {
    return createHmac("sha256", text).update(given).digest();
  }

  const keyOf = (id: CounterId): string => keyTo(`counter:${id}`);
  const familyKeyOf = (prefix: FamilyPrefix): string => keyTo(`prefix:${prefix}`);
  const readKeyOf = (prefix: FamilyPrefix): string => keyTo(`read:${prefix}`);

  function keyKind(id: CounterId, given: string): KeyKind | undefined {
    const known = knownKeys.get(id);
    if (known !== undefined && sameText(known.key, given)) return known.kind;
    const kind = sameText(keyOf(id), given)
      ? "own"
      : familiesOf(id).find((prefix) => sameText(familyKeyOf(prefix), given));
    if (kind !== undefined) knownKeys.set(id, { key: given, kind });
    return kind;
  }

  function readPrefix(id: CounterId, given: string): FamilyPrefix | undefined {
    return familiesOf(id).find((prefix) => sameText(readKeyOf(prefix), given));
  }

  const matchesCode = (given: string, text: string) => sameText(codeOf(text), given);
  return { matches, keyOf, familyKeyOf, readKeyOf, readPrefix, keyKind, codeOf, matchesCode };
}

/** Compares in constant time. The length is not secret. */
function sameText(expected: string, given: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}

declare const brand: unique symbol;

/** A prefix of ids, normalized like an id and ending in a slash. */
export type FamilyPrefix = string & { readonly [brand]: true };

/** Maximum number of keys that are computed to check one. */
const MAX_FAMILIES = 8;

/** Parses a prefix. Throws "bad-query" or "bad-id" if it is invalid. */
export function familyPrefix(text: string): FamilyPrefix {
  if (!text.trim().endsWith("/")) {
    throw new Problem("bad-query", {
      detail: "A prefix ends in a slash, as in prefix=blog/.",
    });
  }
  const prefix = counterId(text);
  if (familiesOf(prefix).at(-1)?.length === prefix.length) return branded(prefix);
  throw new Problem("bad-query", {
    detail: `A prefix may have at most ${MAX_FAMILIES} slashes.`,
  });
}

/** Returns the prefixes of an id that can have a key, the shortest first. */
export function familiesOf(id: CounterId): readonly FamilyPrefix[] {
  const prefixes: FamilyPrefix[] = [];
  let end = id.indexOf("/");
  while (end !== -1 && prefixes.length < MAX_FAMILIES) {
    prefixes.push(branded(id.slice(0, end + 1)));
    end = id.indexOf("/", end + 1);
  }
  return prefixes;
}

/** Casts a valid id, or the beginning of one up to a slash. */
function branded(text: string): FamilyPrefix {
  return text as FamilyPrefix;
}
