import { type CounterId, counterId } from "../counter/counter_id.ts";
import { Problem } from "../problem.ts";
import { Recent } from "../recent.ts";

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

/** Opens a secret. What it loads takes long to load: a start should not wait for it. */
export async function openSecret(text: string): Promise<Secret> {
  const { createHash, createHmac } = await import("node:crypto");
  const expected = digest(text);
  // Hot path: what opened before is not hashed again, nor is its key made again. What did not open is not kept: whoever
  // guesses would fill the memory.
  const openedWith = new Set<string>();
  const keysThatOpened = new Recent<CounterId, { key: string; kind: KeyKind }>(REMEMBERED);

  /** As text, as `timingSafeEqual` would need a Buffer of each. */
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

declare const brand: unique symbol;

/** The beginning of the ids of a family of counters: written as ids are, and ending in a slash. */
export type FamilyPrefix = string & { readonly [brand]: true };

/** In how many families a counter may be: so many keys may have to be made to find the one that was given. */
const MAX_FAMILIES = 8;

/** The family that a text names; throws a problem for what no id could begin with. */
export function familyPrefix(text: string): FamilyPrefix {
  if (!text.trim().endsWith("/")) {
    throw new Problem("bad-query", {
      detail: "A prefix ends in a slash, as in prefix=blog/: so a key for a/ does not open ab.",
    });
  }
  const prefix = counterId(text);
  if (familiesOf(prefix).at(-1)?.length === prefix.length) return branded(prefix);
  throw new Problem("bad-query", {
    detail: `A prefix has at most ${MAX_FAMILIES} slashes: the key of a longer one opens nothing.`,
  });
}

/** The families that a counter belongs to, the one with the shortest prefix first. */
export function familiesOf(id: CounterId): readonly FamilyPrefix[] {
  const prefixes: FamilyPrefix[] = [];
  let end = id.indexOf("/");
  while (end !== -1 && prefixes.length < MAX_FAMILIES) {
    prefixes.push(branded(id.slice(0, end + 1)));
    end = id.indexOf("/", end + 1);
  }
  return prefixes;
}

/** The one place where a text becomes a prefix: a part of an id, or one itself. */
function branded(text: string): FamilyPrefix {
  return text as FamilyPrefix;
}
