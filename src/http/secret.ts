import type { CounterId } from "../counter/counter_id.ts";
import { Recent } from "../recent.ts";
import { familiesOf, type FamilyPrefix } from "./family.ts";

/** A secret that can be compared with and that makes counter keys. */
export interface Secret {
  /** Whether this is the secret; it takes the same time wherever the two differ. */
  matches(given: string | Uint8Array): boolean;
  /** The key of one counter. */
  keyOf(id: CounterId): string;
  /** The key of a whole family. */
  familyKeyOf(prefix: FamilyPrefix): string;
  /** What a key is to a counter, undefined where it is none; it takes the same time wherever it differs from one. */
  keyFor(id: CounterId, given: string): KeyKind | undefined;
  /** A code of a text that only who has the secret can make. */
  codeOf(text: string): string;
  /** Whether this is the code of a text; it takes the same time wherever the two differ. */
  matchesCode(given: string, text: string): boolean;
}

/** The counter's own key, or that of a family that it belongs to. */
export type KeyKind = "own" | FamilyPrefix;

/** Of how many counters the keys that opened them are remembered for sure. */
const REMEMBERED = 10_000;

/** Prepares a secret. Loading what it needs takes as long as the rest of a start: only who uses it should wait for it. */
export async function openSecret(text: string): Promise<Secret> {
  const { createHash, createHmac } = await import("node:crypto");
  const expected = digest(text);
  // What opened before is not hashed again, which takes a fifth of a hit, nor is a key made again, which takes more than
  // all the rest. What did not open is not kept: whoever guesses would fill the memory.
  const openedWith = new Set<string>();
  const keysThatOpened = new Recent<CounterId, { key: string; kind: KeyKind }>(REMEMBERED);

  /** As text: making a Buffer of it for `timingSafeEqual` costs more than hashing does. */
  function digest(given: string | Uint8Array): string {
    return createHash("sha256").update(given).digest("hex");
  }

  /** A set looks a text up by its hash: how long that takes does not tell how much of it is right. */
  function matches(given: string | Uint8Array): boolean {
    if (typeof given !== "string") return sameText(expected, digest(given));
    if (openedWith.has(given)) return true;
    const right = sameText(expected, digest(given));
    if (right) openedWith.add(given);
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

  function keyFor(id: CounterId, given: string): KeyKind | undefined {
    const known = keysThatOpened.get(id);
    if (known !== undefined && sameText(known.key, given)) return known.kind;
    const kind = sameText(keyOf(id), given)
      ? "own"
      : familiesOf(id).find((prefix) => sameText(familyKeyOf(prefix), given));
    if (kind !== undefined) keysThatOpened.set(id, { key: given, kind });
    return kind;
  }

  const matchesCode = (given: string, text: string) => sameText(codeOf(text), given);
  return { matches, keyOf, familyKeyOf, keyFor, codeOf, matchesCode };
}

/** Looks at every character, so that the time does not tell where they differ; what is compared has one known length. */
function sameText(expected: string, given: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}
