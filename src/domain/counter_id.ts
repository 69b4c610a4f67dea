import { Failure } from "./errors.ts";

declare const brand: unique symbol;

/** The id of a counter: 1 to 200 bytes of UTF-8 in NFC, trimmed, with a visible character. */
export type CounterId = string & { readonly [brand]: true };

/** Maximum size of an id, in bytes of UTF-8. */
export const MAX_ID_BYTES = 200;

/** The counter of requests that name none. */
export const DEFAULT_ID = branded("home");

const PLAIN = /^[!-~]{1,200}$/;
/** Marks that pasted text brings along: direction marks and the soft hyphen. */
const MARKS = /[\u00ad\u061c\u200e\u200f]/g;
/** The tags that make a black flag that of a region, such as Scotland. */
const FLAG_TAGS = /(?<=\u{1f3f4})[\u{e0020}-\u{e007e}]+\u{e007f}/gu;
/**
 * Control, format, surrogate, private-use and unassigned characters, and line separators. The
 * joiners U+200C and U+200D between two characters are none of these, because words of Persian and
 * Indic languages and joined emoji need them.
 */
const FORBIDDEN =
  /(?!(?<=[^\p{ASCII}\s\p{C}])[\u200c\u200d][^\p{ASCII}\s\p{C}])[\p{C}\p{Zl}\p{Zp}]/u;
/**
 * A character that is visible by itself. Variation selectors and fillers are not. They are allowed
 * with others, because emoji and some scripts need them. An id of nothing else would look empty.
 */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/u;
/**
 * Maximum length of a text before it is normalized, in UTF-16 code units. NFC shortens a text to a
 * third of its length at most, and each code unit takes at least one byte.
 */
const MAX_UNITS = 3 * MAX_ID_BYTES;
const encoder = new TextEncoder();

/**
 * Parses a counter id. Returns `home` if `text` is undefined or blank. Throws `bad-id` if it is
 * invalid.
 */
export function counterId(text: string | undefined): CounterId {
  const id = counterIdOrHome(text);
  if (id !== undefined) return id;
  throw new Failure("bad-id");
}

/** Parses a counter id like {@linkcode counterId}. Returns undefined if it is invalid. */
export function counterIdOrHome(text: string | undefined): CounterId | undefined {
  if (text === undefined) return DEFAULT_ID;
  return parseCounterId(text) ?? (trimmed(text) === "" ? DEFAULT_ID : undefined);
}

/** Parses an id that has no default, because a slip must not set or delete `home`. */
export function requiredId(text = ""): CounterId {
  if (trimmed(text) !== "") return counterId(text);
  throw new Failure("bad-id", {
    detail: "Send the id of the counter in the query, as in id=home.",
  });
}

/** Parses a counter id. Returns undefined if it is blank or invalid. */
export function parseCounterId(text: string): CounterId | undefined {
  if (PLAIN.test(text)) return branded(text);
  const id = normalized(trimmed(text));
  return id !== undefined && VISIBLE.test(id) ? branded(id) : undefined;
}

/** Reports whether a text is an id as stores keep it. */
export function isCounterId(text: string): text is CounterId {
  return parseCounterId(text) === text;
}

/**
 * Parses a prefix of counter ids, and normalizes it as they are. The empty prefix is that of all
 * counters. Throws `bad-id` if it is invalid.
 */
export function counterPrefix(text: string): string {
  const prefix = normalized(text.replace(MARKS, "").trimStart());
  if (prefix === undefined) throw new Failure("bad-id");
  return prefix;
}

function trimmed(text: string): string {
  return text.replace(MARKS, "").trim();
}

function normalized(text: string): string | undefined {
  // Check the length first: normalizing many combining marks takes quadratic time.
  if (text.length > MAX_UNITS) return undefined;
  const id = text.normalize("NFC");
  const isForbidden = FORBIDDEN.test(id.replace(FLAG_TAGS, ""));
  return isForbidden || encoder.encode(id).length > MAX_ID_BYTES ? undefined : id;
}

/** Marks a text that was checked as an id. No other code may do this. */
function branded(text: string): CounterId {
  return text as CounterId;
}
