import {
  acceptsGzip,
  createResponse,
  type HeaderRecord,
  headersFor,
  type ReadPolicy,
} from "./response.ts";

/**
 * Reports whether the client already has the response with this tag, by a weak comparison (RFC
 * 9110, section 13.1.2).
 */
export function isUnchanged(request: Request, tag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  return known.trim() === "*" ||
    known.split(",").some((item) => item.trim().replace(/^W\//, "") === tag);
}

/** Creates images that caches may keep, if reads are public, but have to revalidate every time. */
export function createRevalidatedImages(reads: ReadPolicy) {
  const plain = headersFor("svg", reads.cacheControl("no-cache, max-age=0, must-revalidate"));
  const unchanged = withoutContentType(plain);
  return {
    /** Returns an image with its headers. `tag` consists of characters of a URL. */
    prepare({ svg, tag }: { svg: string; tag: string }) {
      const etag = `"${tag}"`;
      return { svg, etag, headers: reads.isPublic ? { ...plain, etag } : plain };
    },
    /** Responds with the image, or with 304 if the client has it. */
    respond(
      { svg, etag, headers }: { svg: string; etag: string; headers: HeaderRecord },
      request: Request,
    ): Response {
      if (!reads.isPublic || !isUnchanged(request, etag)) return createResponse(svg, headers);
      return createResponse(null, { ...unchanged, etag }, 304);
    },
  };
}

/** A response without content has no content type (RFC 9110, section 15.4.5). */
function withoutContentType({ "content-type": _, ...headers }: HeaderRecord): HeaderRecord {
  return headers;
}

/**
 * Prepares a text that does not change while the process runs. It is gzipped once, and clients that
 * have it get 304.
 */
export async function cachedText(
  text: string,
  headers: HeaderRecord,
): Promise<(request: Request) => Response> {
  const packed = await gzip(text);
  // A weak tag, because the gzipped and the plain text differ in their bytes.
  const etag = `"${await digest(text)}"`;
  const plain: HeaderRecord = { ...headers, etag: `W/${etag}`, vary: "Accept-Encoding" };
  const gzipped = { ...plain, "content-encoding": "gzip" };
  const unchanged = withoutContentType(plain);
  return (request) => {
    if (isUnchanged(request, etag)) return createResponse(null, unchanged, 304);
    return acceptsGzip(request) ? createResponse(packed, gzipped) : createResponse(text, plain);
  };
}

/** Resolves with a text as gzipped UTF-8. */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(hash, 0, 16).toBase64({ alphabet: "base64url", omitPadding: true });
}
