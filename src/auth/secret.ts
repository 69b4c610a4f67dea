/**
 * Minimum length of a secret for keys. A shorter one could be guessed from a public counter key.
 */
export const MIN_SECRET_LENGTH = 16;

/** A secret and the codes that are made of it. All comparisons take constant time. */
export class Secret {
  readonly #text: string;
  /** Undefined until a request needs it. */
  #digest: string | undefined;
  /**
   * Texts that matched, because a hash takes 10 of the 15 µs of a request. Others are not kept,
   * because guesses would fill the memory.
   */
  readonly #known = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** True if the secret is long enough for keys and sessions. */
  get isLong(): boolean {
    return this.#text.length >= MIN_SECRET_LENGTH;
  }

  /**
   * Reports whether a text is the secret. A set finds a text by its hash, so that the time does not
   * show how much of the text matches.
   */
  matches(given: string | undefined): boolean {
    if (!given) return false;
    if (this.#known.has(given)) return true;
    const isSecret = sameText(this.#digest ??= digestOf(this.#text), digestOf(given));
    if (isSecret) this.#known.add(given);
    return isSecret;
  }

  /**
   * Returns the first bytes of the HMAC-SHA-256 of a text, in base64url. Sixteen are as hard to
   * guess as 128 random bits (RFC 2104, section 5).
   */
  codeOf(text: string, bytes = 32): string {
    const code = nodeCrypto().createHmac("sha256", this.#text).update(text).digest();
    return code.subarray(0, bytes).toString("base64url");
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
