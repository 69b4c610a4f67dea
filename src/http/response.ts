import type { Problem, ProblemName } from "../problem.ts";

/** Header names and values, built once for each kind of response. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** The format of a problem that is reported as text. */
export type TextFormat = "json" | "text" | "html";

/** An image: an SVG document or a PNG. */
export type Image = string | Uint8Array<ArrayBuffer>;

/** The reason why a hit is not an ordinary one, as sent in `X-Tallymark`. */
export type HitFlag = "prefetch" | "bot" | "skip" | "other-site" | "repeat" | "camo";

/** The permission to read counters, and the headers that follow from it. */
export type ReadPolicy = ReturnType<typeof createReadPolicy>;

/** Creates the policy for reads that are open to everyone or require the secret. */
export function createReadPolicy(openReads: boolean) {
  return {
    isPublic: openReads,
    /** Returns the `Cache-Control` of a read that caches may treat like this if it is public. */
    cacheControl: (ifPublic: string) => openReads ? ifPublic : "private, no-store",
  };
}

const CONTENT_TYPES = {
  json: "application/json",
  text: "text/plain; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
  png: "image/png",
  script: "text/javascript; charset=utf-8",
  html: "text/html; charset=utf-8",
  atom: "application/atom+xml; charset=utf-8",
};

/** Allows only the styles of an SVG, in case it is opened as a page. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** `Cache-Control` of counting images. GitHub's edge has cached images with fewer directives. */
export const UNCACHED_IMAGE = "max-age=0, no-cache, no-store, must-revalidate";

/** Keeps browsers from guessing a content type. Sent with every response. */
export const NO_SNIFF: HeaderRecord = { "x-content-type-options": "nosniff" };

/** Returns the headers of a body format. Dispatch adds CORS headers by the route table. */
export function headersFor(format: keyof typeof CONTENT_TYPES, cacheControl: string): HeaderRecord {
  return {
    "content-type": CONTENT_TYPES[format],
    "cache-control": cacheControl,
    ...NO_SNIFF,
    ...(format === "svg" && { "content-security-policy": SVG_POLICY }),
    ...(format === "html" && { "referrer-policy": "no-referrer" }),
  };
}

/** The header that tells a response from the usual one. */
export const FLAG = "x-tallymark";

/** Returns the header that tells a response from the usual one. */
export function flagHeader(flag: HitFlag | "stale" | "counted" | ProblemName): HeaderRecord {
  return { [FLAG]: flag };
}

/** Responses with a flag. Looking one up is faster than searching its headers. */
const flagged = new WeakSet<Response>();

/** Reports whether a response has a flag. */
export function isFlagged(response: Response): boolean {
  return flagged.has(response);
}

/**
 * Maximum length of bytes that Deno may copy for a response. Longer ones are sent as streams that
 * share them. Otherwise, a client that leaves 2,000 responses unread over HTTP/2 would take 2,000
 * times their length. A stream takes 45 kB.
 */
const MAX_COPIED_BYTES = 40_000;

/**
 * Creates a response with these headers. They are set one by one, because Deno registers a response
 * that is constructed with several headers for finalization (reads at 0.92 of the speed).
 */
export function createResponse(
  body: Image | null,
  headers: HeaderRecord,
  status = 200,
): Response {
  const isPlain = status === 200 && typeof body === "string";
  const isShared = body instanceof Uint8Array && body.length > MAX_COPIED_BYTES;
  const response = isPlain
    ? new Response(body)
    : isShared
    ? new Response(ReadableStream.from([body]), {
      status,
      headers: { ...headers, "content-length": `${body.length}` },
    })
    : new Response(body, { status, headers });
  if (FLAG in headers) flagged.add(response);
  if (!isPlain) return response;
  const target = response.headers;
  // Object.entries would allocate a list per response.
  for (const name in headers) target.set(name, headers[name] ?? "");
  return response;
}

/** Creates a response of JSON, which no cache may keep unless `cacheControl` says so. */
export function jsonResponse(body: unknown, cacheControl = "no-store", status = 200): Response {
  return createResponse(JSON.stringify(body), headersFor("json", cacheControl), status);
}

/**
 * Resolves with the response to HEAD, with the length that GET would report (RFC 9110, section
 * 8.6).
 */
export async function headResponse(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  const { byteLength } = await response.arrayBuffer();
  headers.set("content-length", String(byteLength));
  return new Response(null, { status: response.status, headers });
}

/**
 * Creates the response to a problem as text, or as the JSON that a function returns for it. `path`
 * is given if no endpoint has it. The client's `Accept` chose the format then.
 */
export function problemResponse(
  problem: Problem,
  format: TextFormat | ((problem: Problem) => string),
  path?: string,
): Response {
  const isText = typeof format !== "function";
  const headers = {
    ...headersFor(isText ? format : "json", "no-store"),
    ...problemHeaders(problem),
    ...(format === "json" && { "content-type": "application/problem+json" }),
    ...(format === "html" && { "content-security-policy": PROBLEM_POLICY }),
    ...(path !== undefined && format === "html" && { vary: "Accept" }),
  };
  const body = isText ? formatProblem(problem, { format, path }) : format(problem);
  return createResponse(body, headers, problem.status);
}

/**
 * Creates the response to a problem as an image. The status is 200 if an image was asked for,
 * because image proxies discard every status but 200, 206 and 304. With another one, a page would
 * show a broken image in place of the error.
 */
export function problemImageResponse(
  problem: Problem,
  { image, request }: { image: Image; request: Request },
): Response {
  const headers = {
    ...headersFor(typeof image === "string" ? "svg" : "png", UNCACHED_IMAGE),
    ...problemHeaders(problem),
    "vary": "Accept",
  };
  return createResponse(image, headers, asksForImage(request) ? 200 : problem.status);
}

function problemHeaders({ kind, status, allow }: Problem): HeaderRecord {
  return {
    ...flagHeader(kind),
    ...(status === 401 && { "www-authenticate": 'Bearer realm="Tallymark"' }),
    ...(status === 503 && { "retry-after": "1" }),
    ...(allow !== undefined && { allow }),
  };
}

function formatProblem(
  { kind, title, status, detail }: Problem,
  { format, path = "/" }: { format: TextFormat; path: string | undefined },
): string {
  if (format === "text") return `${title}: ${detail}`;
  if (format === "html") {
    const said = PAGE_WORDS[status] ?? { heading: title, words: detail };
    // A proxy may serve all paths below another one.
    const depth = Math.min(path.split("/").length - 2, MAX_DEPTH);
    const root = "../".repeat(depth) || "./";
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">${ICON}` +
      `<title>${said.heading} · Tallymark</title><style>${PROBLEM_STYLE}</style></head>` +
      `<body><header><a href="${root}">${MARK}Tallymark</a></header><main>${MARK}<h1>${said.heading}</h1><p>${
        inHtml(said.words)
      }</p>` +
      `<p><a href="${root}">Build a badge</a> <a href="${root}api">API</a></p></main></body></html>`;
  }
  return JSON.stringify({ type: `urn:problem-type:tallymark:${kind}`, title, status, detail });
}

/** Maximum number of levels that a page leads up. More would let the page grow with its path. */
const MAX_DEPTH = 20;
const PROBLEM_POLICY = `${SVG_POLICY}; img-src data:; frame-ancestors 'none'`;
/** The colors and sizes of the other pages. */
const PROBLEM_STYLE = ":root{color-scheme:light dark}body{margin:0;" +
  "background:light-dark(#fbfbf9,#0f1312);color:light-dark(#1a1f1d,#e8edeb);" +
  "font:15px/22px -apple-system,BlinkMacSystemFont,'Segoe UI',Helvetica,Arial,sans-serif}" +
  "header{padding:0 20px;border-bottom:1px solid light-dark(#e3e5e0,#2b3230);" +
  "background:light-dark(#fff,#161b1a)}header a{display:flex;align-items:center;gap:9px;" +
  "max-width:1120px;min-height:56px;margin:auto;font-weight:600;font-size:17px;" +
  "text-decoration:none;color:inherit}header svg{width:24px}" +
  "main{box-sizing:border-box;width:calc(100% - 40px);max-width:438px;margin:64px auto;" +
  "padding:28px;text-align:center;border-radius:8px;" +
  "border:1px solid light-dark(#e3e5e0,#2b3230);background:light-dark(#fff,#161b1a)}" +
  "main svg{width:56px}h1{margin:14px 0 4px;font-size:20px;line-height:28px}p{margin:0 0 18px;" +
  "color:light-dark(#5b645f,#9ca7a2)}p a{margin:0 10px;color:light-dark(#0b7261,#5ad1b2)}";

/** The words of a page for a status, in place of those of the problem. */
const PAGE_WORDS: Readonly<Record<number, { heading: string; words: string }>> = {
  401: {
    heading: "This link opens nothing",
    words: "Its key is wrong, or the owner has made a new one. Ask the person who sent it to you.",
  },
  404: { heading: "Nothing at this address", words: "This server has no page here." },
};

/** The mark of the service. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" ` +
  `stroke="#17957f" stroke-width="2.4" stroke-linecap="round" aria-hidden="true">` +
  `<path d="M4.5 5v14M9.5 5v14M14.5 5v14M19.5 5v14M1.5 16.5L22.5 7.5"/></svg>`;
/** The mark as the icon of a page. It is in the page, because it must not depend on its path. */
export const ICON = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(MARK)}">`;

/** Escapes text for HTML and XML. */
export function inHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * Reports whether the client shows the response as an image, because its `Accept` names one and no
 * page.
 */
function asksForImage({ method, headers }: Request): boolean {
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
