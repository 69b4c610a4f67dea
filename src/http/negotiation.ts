/**
 * Reports whether the client shows the response as an image, because its `Accept` names one and no
 * page.
 */
export function asksForImage({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const ranges = listItems(headers.get("accept"));
  return ranges.some((range) => range.startsWith("image/") && !isExcluded(range)) &&
    !ranges.some(isPage);
}

/** Reports whether the client shows the response as a page: its `Accept` names one. */
export function asksForPage({ headers }: Request): boolean {
  return listItems(headers.get("accept")).some((range) => isPage(range) && !isExcluded(range));
}

/** Reports whether the client accepts a gzipped body (RFC 9110, section 12.5.3). */
export function acceptsGzip({ headers }: Request): boolean {
  const codings = listItems(headers.get("accept-encoding"));
  const coding = codings.find((coding) => /^(?:x-)?gzip\s*(?:;|$)/.test(coding)) ??
    codings.find((coding) => coding.startsWith("*"));
  return coding !== undefined && !isExcluded(coding);
}

function listItems(list: string | null): string[] {
  return (list ?? "").toLowerCase().split(",").map((item) => item.trim());
}

function isPage(range: string): boolean {
  return range.startsWith("text/html");
}

/** Reports whether a list item has a weight of 0 (RFC 9110, section 12.4.2). */
function isExcluded(item: string): boolean {
  return item.split(";").slice(1).some((part) => /^q=0(?:\.0{0,3})?$/.test(part.trim()));
}
