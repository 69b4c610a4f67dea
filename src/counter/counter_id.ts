import { Problem } from "../problem.ts";

declare const brand: unique symbol;

/** The id of a counter: trimmed, in Unicode NFC, 1 to 200 bytes of UTF-8, nothing invisible in it. */
export type CounterId = string & { readonly [brand]: true };

/** The longest id, in bytes of UTF-8. */
export const MAX_ID_BYTES = 200;

/** The counter that is meant where none is named. */
export const DEFAULT_ID = "home";

const PLAIN = /^[!-~]{1,200}$/;
/** Unicode's "Other": control, format, surrogate, private-use and unassigned characters. */
const INVISIBLE = /\p{C}/u;
/** UTF-16 code units: NFC makes a text at most three times shorter in UTF-8, which has at least a byte for each. */
const MAX_UNITS = 3 * MAX_ID_BYTES;
const encoder = new TextEncoder();

/** The id that a text names, or "home" for none; throws the problem "bad-id". */
export function counterId(text: string | undefined): CounterId {
  if (text === undefined) return branded(DEFAULT_ID);
  if (PLAIN.test(text)) return branded(text);
  const trimmed = text.trim();
  return branded(trimmed === "" ? DEFAULT_ID : normalized(trimmed));
}

/** How ids begin that are meant together, normalized as they are; empty for all. Throws the problem "bad-id". */
export function counterPrefix(text: string): string {
  return normalized(text.trimStart());
}

function normalized(text: string): string {
  // Before it is normalized, which takes the square of the length where marks pile up.
  if (text.length > MAX_UNITS) throw new Problem("bad-id");
  const id = text.normalize("NFC");
  if (INVISIBLE.test(id) || byteLength(id) > MAX_ID_BYTES) throw new Problem("bad-id");
  return id;
}

/** The one place where a text becomes an id, after the checks above. */
function branded(text: string): CounterId {
  return text as CounterId;
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
