/** A hash of a text: its length and two 32-bit hashes of its UTF-16 code units, as letters and digits. */
export function textHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return `${text.length.toString(36)}-${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}`;
}

/** The strong entity tag of a badge, from all that shapes its bytes (RFC 9110, section 8.8.3). */
export function badgeTag(lookHash: string, message: string): string {
  return `"${lookHash}-${encodeURIComponent(message)}"`;
}

/** Whether the caller has the answer with this tag already (RFC 9110, section 13.1.2: a weak comparison). */
export function isUnchanged(request: Request, tag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  return known.trim() === "*" ||
    known.split(",").some((item) => item.trim().replace(/^W\//, "") === tag);
}
