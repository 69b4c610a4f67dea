/** Whether somebody wants to show the answer as an image: their `Accept` names one, and no page. */
export function asksForImage({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const ranges = rangesOf(headers);
  return ranges.some((range) => range.startsWith("image/") && !isRefused(range)) &&
    !ranges.some(isPage);
}

/** Whether somebody wants to read the answer as a page: their `Accept` names one. */
export function asksForPage({ headers }: Request): boolean {
  return rangesOf(headers).some((range) => isPage(range) && !isRefused(range));
}

function rangesOf(headers: Headers): string[] {
  return (headers.get("accept") ?? "").toLowerCase().split(",").map((range) => range.trim());
}

function isPage(range: string): boolean {
  return range.startsWith("text/html");
}

/** Whether a range of `Accept` has a weight of 0 (RFC 9110, section 12.4.2). */
function isRefused(range: string): boolean {
  return range.split(";").slice(1).some((part) => /^q=0(?:\.0{0,3})?$/.test(part.trim()));
}
