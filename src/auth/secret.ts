import { type CounterId, counterId } from "../counter/counter_id.ts";
import { Problem } from "../problem.ts";
import { BoundedMap } from "../bounded_map.ts";

/** A secret shorter than this could be guessed from a counter key that stands in public. */
export const MIN_SECRET_LENGTH = 16;

export interface Secret {
  /** Takes the same time wherever the two differ. */
  matches(given: string | Uint8Array): boolean;
  keyOf(id: CounterId): string;
  familyKeyOf(prefix: FamilyPrefix): string;
  /** Undefined if this is no key of the counter; takes the same time wherever it differs from one. */
  keyKind(id: CounterId, given: string): KeyKind | undefined;
  /** A code that nobody can make without the secret. */
  codeOf(text: string): string;
  /** Takes the same time wherever the two differ. */
  matchesCode(given: string, text: string): boolean;
}

/** The counter's own key, or the key of a family to which it belongs. */
export type KeyKind = "own" | FamilyPrefix;

/** For at least so many counters the last valid key is remembered. */
const REMEMBERED = 10_000;

/** Loads node:crypto first, which takes too long for the start. */
export async function openSecret(text: string): Promise<Secret> {
  const { createHash, createHmac } = await import("node:crypto");
  const expected = digest(text);
  // Hot path: what was right before is not computed again. What was wrong is not kept: guesses would fill the memory.
  const knownSecrets = new Set<string>();
  const knownKeys = new BoundedMap<CounterId, { key: string; kind: KeyKind }>(REMEMBERED);

  /** In hexadecimal: two texts are compared faster than two Buffers are made. */
  function digest(given: string | Uint8Array): string {
    return createHash("sha256").update(given).digest("hex");
  }

  /** Looking a text up in a set goes by its hash: the time does not show how much of the text is right. */
  function matches(given: string | Uint8Array): boolean {
    if (typeof given !== "string") return sameText(expected, digest(given));
    if (knownSecrets.has(given)) return true;
    const right = sameText(expected, digest(given));
    if (right) knownSecrets.add(given);
    return right;
  }

  /** The first 16 bytes of an HMAC: as hard to guess as 128 random bits (RFC 2104, section 5). */
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

  function keyKind(id: CounterId, given: string): KeyKind | undefined {
    const known = knownKeys.get(id);
    if (known !== undefined && sameText(known.key, given)) return known.kind;
    const kind = sameText(keyOf(id), given)
      ? "own"
      : familiesOf(id).find((prefix) => sameText(familyKeyOf(prefix), given));
    if (kind !== undefined) knownKeys.set(id, { key: given, kind });
    return kind;
  }

  const matchesCode = (given: string, text: string) => sameText(codeOf(text), given);
  return { matches, keyOf, familyKeyOf, keyKind, codeOf, matchesCode };
}

/** Compares in constant time; the length is no secret. */
function sameText(expected: string, given: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}

declare const brand: unique symbol;

/** What the ids of a family begin with: normalized like an id, and ending in a slash. */
export type FamilyPrefix = string & { readonly [brand]: true };

/** Limits how many keys have to be made to check one that was given. */
const MAX_FAMILIES = 8;

/** Throws "bad-query" or "bad-id" if no family can have this prefix. */
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

/** The families of a counter, the shortest prefix first. */
export function familiesOf(id: CounterId): readonly FamilyPrefix[] {
  const prefixes: FamilyPrefix[] = [];
  let end = id.indexOf("/");
  while (end !== -1 && prefixes.length < MAX_FAMILIES) {
    prefixes.push(branded(id.slice(0, end + 1)));
    end = id.indexOf("/", end + 1);
  }
  return prefixes;
}

/** Cast: a valid id, or the beginning of one up to a slash. */
function branded(text: string): FamilyPrefix {
  return text as FamilyPrefix;
}
