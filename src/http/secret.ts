import type { CounterId } from "../counter/counter_id.ts";
import { Recent } from "../recent.ts";

/** A secret that can be compared with and that makes counter keys. */
export interface Secret {
  /** Whether this is the secret; it takes the same time wherever the two differ. */
  matches(given: string | Uint8Array): boolean;
  /** The key of one counter. */
  keyOf(id: CounterId): string;
  /** Whether this is the key of one counter. */
  matchesKey(given: string, id: CounterId): boolean;
}

/** How many counters' keys, and how many texts that were right, are remembered for sure. */
const REMEMBERED = 10_000;

/** Prepares a secret. Loading what it needs takes as long as the rest of a start: only who uses it should wait for it. */
export async function openSecret(text: string): Promise<Secret> {
  const { createHash, createHmac } = await import("node:crypto");
  const expected = digest(text);
  const keyDigests = new Recent<CounterId, string>(REMEMBERED);
  const rightDigests = new Recent<string, string>(REMEMBERED);

  /** As text: making a Buffer of it for `timingSafeEqual` costs more than hashing does. */
  function digest(given: string | Uint8Array): string {
    return createHash("sha256").update(given).digest("hex");
  }

  /**
   * Hashing takes a fifth of a hit, so what was right before is not hashed again. A map looks a text up by its hash: how
   * long that takes does not tell how much of it is right. Wrong ones are not kept: whoever guesses would fill the memory.
   */
  function isRight(expected: string, given: string | Uint8Array): boolean {
    if (typeof given !== "string") return sameDigest(expected, digest(given));
    const known = rightDigests.get(given);
    const right = sameDigest(expected, known ?? digest(given));
    if (right && known === undefined) rightDigests.set(given, expected);
    return right;
  }

  /** The first 16 bytes of an HMAC: as hard to guess as 128 random bits (RFC 2104, section 5). */
  function keyOf(id: CounterId): string {
    const code = createHmac("sha256", text).update(`counter:${id}`).digest();
    return code.subarray(0, 16).toString("base64url");
  }

  /** Making a key takes longer than all the rest of a hit, and a key that stands in public is shown again and again. */
  function keyDigestOf(id: CounterId): string {
    const known = keyDigests.get(id);
    if (known !== undefined) return known;
    const made = digest(keyOf(id));
    keyDigests.set(id, made);
    return made;
  }

  return {
    matches: (given) => isRight(expected, given),
    keyOf,
    matchesKey: (given, id) => isRight(keyDigestOf(id), given),
  };
}

/** Looks at every character, so that the time tells nothing; digests have one length, whatever the secret's. */
function sameDigest(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index++) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}
