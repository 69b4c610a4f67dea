/** Whether the caller has the answer with this tag already (RFC 9110, section 13.1.2: a weak comparison). */
export function isUnchanged(request: Request, tag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  return known.trim() === "*" ||
    known.split(",").some((item) => item.trim().replace(/^W\//, "") === tag);
}
