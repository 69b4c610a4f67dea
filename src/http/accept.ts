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

/** Whether a body may be sent gzipped (RFC 9110, section 12.5.3). */
export function acceptsGzip({ headers }: Request): boolean {
  const codings = itemsOf(headers.get("accept-encoding"));
  const coding = codings.find((coding) => /^(?:x-)?gzip\s*(?:;|$)/.test(coding)) ??
    codings.find((coding) => coding.startsWith("*"));
  return coding !== undefined && !isRefused(coding);
}

function rangesOf(headers: Headers): string[] {
  return itemsOf(headers.get("accept"));
}

function itemsOf(list: string | null): string[] {
  return (list ?? "").toLowerCase().split(",").map((item) => item.trim());
}

function isPage(range: string): boolean {
  return range.startsWith("text/html");
}

/** Whether an item has a weight of 0 (RFC 9110, section 12.4.2). */
function isRefused(range: string): boolean {
  return range.split(";").slice(1).some((part) => /^q=0(?:\.0{0,3})?$/.test(part.trim()));
}
