/** Header names and values, built once for each kind of answer. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** What an answer's body is. */
export type Form = WordForm | "svg" | "script" | "html";
/** The forms that are words. */
export type WordForm = "json" | "text";

/** Whose pages may read an answer: those of every site, those of every site as an image only, or none. */
export type CorsPolicy = "any" | "image" | "none";

/** Who may keep an answer, and whose pages may read it. */
export interface SharingPolicy {
  readonly cacheControl: string;
  readonly cors: CorsPolicy;
}

/** Who may read counters, and what follows from it for every answer to a read. */
export interface ReadPolicy {
  /** Whether anyone may, and so any page and cache. */
  readonly isPublic: boolean;
  readonly cors: CorsPolicy;
  /** How an answer is shared that caches may keep like this if reads are public. */
  sharing(cacheControl: string): SharingPolicy;
}

/** Everyone if reads are open; else whoever has the secret. */
export function createReadPolicy(openReads: boolean): ReadPolicy {
  const cors = openReads ? "any" : "none";
  return {
    isPublic: openReads,
    cors,
    sharing: (cacheControl) => ({
      cacheControl: openReads ? cacheControl : "private, no-store",
      cors,
    }),
  };
}

const TYPES: Record<Form, string> = {
  json: "application/json",
  text: "text/plain; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
  script: "text/javascript; charset=utf-8",
  html: "text/html; charset=utf-8",
};

/** Lets the style of a badge through and nothing else, should somebody open it as a page. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** For images that must be fetched each time: with less than all four GitHub's edge has kept them. */
export const UNCACHED_IMAGE = "max-age=0, no-cache, no-store, must-revalidate";

/** Keeps browsers from guessing another type than the one given; on every answer. */
export const NO_SNIFF: HeaderRecord = { "x-content-type-options": "nosniff" };

const ANY_ORIGIN: HeaderRecord = { "access-control-allow-origin": "*" };
const CROSS_ORIGIN: HeaderRecord = { "cross-origin-resource-policy": "cross-origin" };

/** The headers of one kind of answer. */
export function headersOf(form: Form, { cacheControl, cors }: SharingPolicy): HeaderRecord {
  return {
    "content-type": TYPES[form],
    "cache-control": cacheControl,
    ...NO_SNIFF,
    ...(cors === "any" && ANY_ORIGIN),
    ...(cors !== "none" && CROSS_ORIGIN),
    ...(form === "svg" && { "content-security-policy": SVG_POLICY }),
    ...(form === "html" && { "referrer-policy": "no-referrer" }),
  };
}

/** Tells in `X-Tallymark` what is special about an answer, to scripts too where their origin may read it. */
export function remarkOf(remark: string, cors: CorsPolicy): HeaderRecord {
  const exposed = { "access-control-expose-headers": "x-tallymark" };
  return { "x-tallymark": remark, ...(cors === "any" && exposed) };
}

/**
 * An answer with these headers. They are set one by one: an answer that Deno makes with more than a type of its own is kept
 * outside of V8 and registered to be freed, which costs a read a tenth of its time.
 */
export function answer(
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: HeaderRecord,
  status = 200,
): Response {
  if (status !== 200 || typeof body !== "string") return new Response(body, { status, headers });
  const response = new Response(body);
  const own = response.headers;
  // A list of them would be made for each answer.
  for (const name in headers) own.set(name, headers[name] ?? "");
  return response;
}

/** The answer to HEAD: with the length that GET would tell (RFC 9110, section 8.6), and not that of the body left out. */
export async function headOf(answered: Response | Promise<Response>): Promise<Response> {
  const response = await answered;
  const { status, body } = response;
  const headers = new Headers(response.headers);
  const { byteLength } = await response.arrayBuffer();
  if (body !== null) headers.set("content-length", String(byteLength));
  return new Response(null, { status, headers });
}
