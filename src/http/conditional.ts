import { acceptsGzip, answer, type HeaderRecord, headersOf, type ReadPolicy } from "./answer.ts";

/** Whether the caller has the answer with this tag already (RFC 9110, section 13.1.2: a weak comparison). */
export function isUnchanged(request: Request, tag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  return known.trim() === "*" ||
    known.split(",").some((item) => item.trim().replace(/^W\//, "") === tag);
}

/** An image, and its tag: the same for the same bytes and different for others, in characters of a URL. */
export interface Drawing {
  readonly svg: string;
  readonly tag: string;
}

/** A drawing with its headers. */
export interface RevalidatedImage {
  readonly svg: string;
  readonly etag: string;
  readonly headers: HeaderRecord;
}

/** How images are answered that caches may keep but have to ask for every time. */
export interface RevalidatedImages {
  prepare(drawing: Drawing): RevalidatedImage;
  /** The image, or that the caller has it already. */
  answer(image: RevalidatedImage, request: Request): Response;
}

/** Caches may keep them, unless reads are protected. */
export function createRevalidatedImages(reads: ReadPolicy): RevalidatedImages {
  const plain = headersOf("svg", reads.sharing("no-cache, max-age=0, must-revalidate"));
  // There is no content whose type it could be (RFC 9110, section 15.4.5).
  const { "content-type": _, ...unchanged } = plain;
  return {
    prepare({ svg, tag }) {
      const etag = `"${tag}"`;
      return { svg, etag, headers: reads.isPublic ? { ...plain, etag } : plain };
    },
    answer({ svg, etag, headers }, request) {
      if (!reads.isPublic || !isUnchanged(request, etag)) return answer(svg, headers);
      return answer(null, { ...unchanged, etag }, 304);
    },
  };
}

/**
 * Answers with a text that stays the same while the process runs: gzipped once, and not sent again to callers that have
 * it.
 */
export async function cachedText(
  text: string,
  headers: HeaderRecord,
): Promise<(request: Request) => Response> {
  const packed = await gzip(text);
  // A weak tag: the text is the same, gzipped or not, but its bytes are not.
  const etag = `"${await digest(text)}"`;
  const own: HeaderRecord = { ...headers, etag: `W/${etag}`, vary: "Accept-Encoding" };
  const inGzip = { ...own, "content-encoding": "gzip" };
  // There is no content whose type it could be (RFC 9110, section 15.4.5).
  const { "content-type": _, ...unchanged } = own;
  return (request) => {
    if (isUnchanged(request, etag)) return answer(null, unchanged, 304);
    return acceptsGzip(request) ? answer(packed, inGzip) : answer(text, own);
  };
}

/** A text as UTF-8, compressed. */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(hash, 0, 16).toBase64({ alphabet: "base64url", omitPadding: true });
}
