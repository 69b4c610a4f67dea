import { Problem } from "../problem.ts";

declare const brand: unique symbol;

/** The id of a counter: trimmed, in Unicode NFC, 1 to 200 bytes of UTF-8, with something to see. */
export type CounterId = string & { readonly [brand]: true };

/** The longest id, in bytes of UTF-8. */
export const MAX_ID_BYTES = 200;

/** The counter that is meant if none is named. */
export const DEFAULT_ID = branded("home");

const PLAIN = /^[!-~]{1,200}$/;
/** Unicode's "Other": control, format, surrogate, private-use and unassigned characters; and separators of lines. */
const FORBIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/**
 * A character with a shape of its own. Variation selectors and fillers have none, and are allowed beside others: emoji
 * and some scripts are written with them. An id of nothing else would look empty in a list.
 */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/u;
/** UTF-16 code units: NFC makes a text at most three times shorter in UTF-8, which has at least a byte for each. */
const MAX_UNITS = 3 * MAX_ID_BYTES;
const encoder = new TextEncoder();

/** The id that a text names, or "home" for none; throws the problem "bad-id". */
export function counterId(text: string | undefined): CounterId {
  if (text === undefined) return DEFAULT_ID;
  if (PLAIN.test(text)) return branded(text);
  const trimmed = text.trim();
  if (trimmed === "") return DEFAULT_ID;
  const id = normalized(trimmed);
  if (!VISIBLE.test(id)) throw new Problem("bad-id");
  return branded(id);
}

/** How ids begin that are meant together, normalized as they are; empty for all. Throws the problem "bad-id". */
export function counterPrefix(text: string): string {
  return normalized(text.trimStart());
}

function normalized(text: string): string {
  // Checked first: normalizing takes quadratic time if combining marks pile up.
  if (text.length > MAX_UNITS) throw new Problem("bad-id");
  const id = text.normalize("NFC");
  if (FORBIDDEN.test(id) || byteLength(id) > MAX_ID_BYTES) throw new Problem("bad-id");
  return id;
}

/** The one place where a text becomes an id, after the checks above. */
function branded(text: string): CounterId {
  return text as CounterId;
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
