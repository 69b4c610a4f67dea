import type { CounterId } from "../counter/counter_id.ts";

/** A secret that can be compared with and that makes counter keys. */
export interface Secret {
  /** Whether this is the secret; it takes the same time wherever the two differ. */
  matches(given: string | Uint8Array): boolean;
  /** The key of one counter. */
  keyOf(id: CounterId): string;
  /** Whether this is the key of one counter. */
  matchesKey(given: string, id: CounterId): boolean;
}

/** Prepares a secret. Loading what it needs takes as long as the rest of a start: only who uses it should wait for it. */
export async function openSecret(text: string): Promise<Secret> {
  const { createHash, createHmac } = await import("node:crypto");
  const expected = digest(text);

  /** As text: making a Buffer of it for `timingSafeEqual` costs more than hashing does. */
  function digest(given: string | Uint8Array): string {
    return createHash("sha256").update(given).digest("hex");
  }

  /** The first 16 bytes of an HMAC: as hard to guess as 128 random bits (RFC 2104, section 5). */
  function keyOf(id: CounterId): string {
    const code = createHmac("sha256", text).update(`counter:${id}`).digest();
    return code.subarray(0, 16).toString("base64url");
  }

  return {
    matches: (given) => sameDigest(expected, digest(given)),
    keyOf,
    matchesKey: (given, id) => sameDigest(digest(keyOf(id)), digest(given)),
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
