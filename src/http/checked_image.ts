import { answer, type HeaderRecord, headersOf } from "./answer.ts";
import { isUnchanged } from "./entity_tag.ts";
import type { Readers } from "./readers.ts";

/** A drawing, and what tells it from every other: the same for the same bytes, in characters of a URL. */
export interface Drawing {
  readonly svg: string;
  readonly tag: string;
}

/** A drawing with its headers. */
export interface CheckedImage {
  readonly svg: string;
  readonly etag: string;
  readonly headers: HeaderRecord;
}

/** How images are answered that caches may keep but have to ask for every time. */
export interface CheckedImages {
  prepare(drawing: Drawing): CheckedImage;
  /** The image, or that the caller has it already. */
  answer(image: CheckedImage, request: Request): Response;
}

/** The same for everyone, or kept by nobody where reads are closed. */
export function createCheckedImages(readers: Readers): CheckedImages {
  const plain = headersOf("svg", readers.sharing("no-cache, max-age=0, must-revalidate"));
  // There is no content whose type it could be (RFC 9110, section 15.4.5).
  const { "content-type": _, ...unchanged } = plain;
  return {
    prepare({ svg, tag }) {
      const etag = `"${tag}"`;
      return { svg, etag, headers: readers.areAnyone ? { ...plain, etag } : plain };
    },
    answer({ svg, etag, headers }, request) {
      if (!readers.areAnyone || !isUnchanged(request, etag)) return answer(svg, headers);
      return answer(null, { ...unchanged, etag }, 304);
    },
  };
}
