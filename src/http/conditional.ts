import { loadOnce } from "../waiting.ts";
import { acceptsGzip } from "./negotiation.ts";
import { createResponse, type HeaderRecord, headersFor, type ReadPolicy } from "./response.ts";

/**
 * Reports whether the client already has the response with this tag, by a weak comparison (RFC
 * 9110, section 13.1.2).
 */
export function isUnchanged(request: Request, tag: string | undefined): boolean {
  const known = tag === undefined ? null : request.headers.get("if-none-match");
  if (known === null) return false;
  return known.trim() === "*" ||
    known.split(",").some((item) => item.trim().replace(/^W\//, "") === tag);
}

interface TextWithHeaders {
  readonly text: string;
  readonly headers: HeaderRecord;
}

/** Creates texts that caches may keep, if reads are public, but have to revalidate every time. */
export function createRevalidated(readPolicy: ReadPolicy, format: "svg" | "atom" = "svg") {
  const plain = headersFor(format, readPolicy.cacheControl("no-cache, max-age=0, must-revalidate"));
  return {
    /** Returns a text with its headers. */
    withHeaders(text: string): TextWithHeaders {
      return { text, headers: readPolicy.isPublic ? { ...plain, etag: tagOf(text) } : plain };
    },
    /** Responds with the text, or with 304 if the client has it. */
    respond({ text, headers }: TextWithHeaders, request: Request): Response {
      if (isUnchanged(request, headers.etag)) return notModified(headers);
      return createResponse(text, headers);
    },
  };
}

/**
 * Creates the 304 in place of a response with these headers. Without content, it has no content
 * type (RFC 9110, section 15.4.5).
 */
export function notModified({ "content-type": _, ...headers }: HeaderRecord): Response {
  return createResponse(null, headers, 304);
}

/**
 * Returns the responses of an endpoint whose text does not change while the process runs. The first
 * request composes and gzips it. Clients that have it get 304.
 */
export function cachedText(compose: () => TextWithHeaders | Promise<TextWithHeaders>) {
  const load = loadOnce(async () => {
    const { text, headers } = await compose();
    const bytes = new TextEncoder().encode(text);
    const packed = await gzip(text);
    // A weak tag, because the gzipped and the plain text differ in their bytes.
    const etag = tagOf(text);
    const vary = [headers.vary, "Accept-Encoding"].filter((name) => name !== undefined).join(", ");
    const plain: HeaderRecord = { ...headers, etag: `W/${etag}`, vary };
    const gzipped = { ...plain, "content-encoding": "gzip" };
    return (request: Request) => {
      if (isUnchanged(request, etag)) return notModified(plain);
      return acceptsGzip(request) ? createResponse(packed, gzipped) : createResponse(bytes, plain);
    };
  });
  return async ({ request }: { request: Request }) => (await load())(request);
}

/** Resolves with a text as gzipped UTF-8. */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the entity tag of a text, which consists of its length and two 32-bit hashes. */
export function tagOf(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  return `"${text.length.toString(36)}-${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}"`;
}
