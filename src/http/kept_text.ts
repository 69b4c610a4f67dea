import { acceptsGzip } from "./accept.ts";
import { answer, type HeaderRecord } from "./answer.ts";
import { isUnchanged } from "./entity_tag.ts";

/**
 * Answers with a text that stays the same while the process runs: gzipped once, and not sent again to callers that have
 * it.
 */
export async function keptText(
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
