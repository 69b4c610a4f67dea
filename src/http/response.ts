import type { ProblemName } from "../problem.ts";

/** Header names and values, built once for each kind of response. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** An image: an SVG document or a PNG. */
export type Image = string | Uint8Array<ArrayBuffer>;

/** The reasons why a hit is not an ordinary one, as sent in `X-Tallymark`. */
export const HIT_FLAGS = ["prefetch", "bot", "skip", "other-site", "repeat", "camo"] as const;
export type HitFlag = (typeof HIT_FLAGS)[number];

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
export const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

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

/** Escapes text for HTML and XML. */
export function inHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
