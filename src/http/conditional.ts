import { loadOnce } from "../waiting.ts";
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
export function isUnchanged(request: Request, tag: string | undefined): boolean {
  const known = tag === undefined ? null : request.headers.get("if-none-match");
  if (known === null) return false;
  return known.trim() === "*" ||
    known.split(",").some((item) => item.trim().replace(/^W\//, "") === tag);
}

/** Creates images that caches may keep, if reads are public, but have to revalidate every time. */
export function createRevalidatedImages(readPolicy: ReadPolicy) {
  const plain = headersFor("svg", readPolicy.cacheControl("no-cache, max-age=0, must-revalidate"));
  return {
    /** Returns an image with its headers. `tag` consists of characters of a URL. */
    prepare({ svg, tag }: { svg: string; tag: string }) {
      return { svg, headers: readPolicy.isPublic ? { ...plain, etag: `"${tag}"` } : plain };
    },
    /** Responds with the image, or with 304 if the client has it. */
    respond({ svg, headers }: { svg: string; headers: HeaderRecord }, request: Request): Response {
      if (isUnchanged(request, headers.etag)) return notModified(headers);
      return createResponse(svg, headers);
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

interface CachedText {
  readonly text: string;
  readonly headers: HeaderRecord;
}

/**
 * Returns the responses of an endpoint whose text does not change while the process runs. The first
 * request composes and gzips it. Clients that have it get 304.
 */
export function cachedText(compose: () => CachedText | Promise<CachedText>) {
  const load = loadOnce(async () => {
    const { text, headers } = await compose();
    const bytes = new TextEncoder().encode(text);
    const packed = await gzip(text);
    // A weak tag, because the gzipped and the plain text differ in their bytes.
    const etag = `"${await digest(text)}"`;
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

/** Resolves with a short hash of a text, for its tag. */
export async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(hash, 0, 16).toBase64({ alphabet: "base64url", omitPadding: true });
}
