import type { Problem } from "../problem.ts";

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

/** Everyone if reads are open; otherwise callers with the secret. */
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

/** Says in `X-Tallymark` what is special about an answer, and exposes it to scripts if their origin may read it. */
export function remarkOf(remark: string, cors: CorsPolicy): HeaderRecord {
  const exposed = { "access-control-expose-headers": "x-tallymark" };
  return { "x-tallymark": remark, ...(cors === "any" && exposed) };
}

/**
 * An answer with these headers. Hot path: they are set one by one, because Deno keeps a response that is made with several
 * headers outside of V8 and registers it for finalization.
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

/** The answer to HEAD: with the length that GET would report (RFC 9110, section 8.6). */
export async function headOf(answered: Response | Promise<Response>): Promise<Response> {
  const response = await answered;
  const { status, body } = response;
  const headers = new Headers(response.headers);
  const { byteLength } = await response.arrayBuffer();
  if (body !== null) headers.set("content-length", String(byteLength));
  return new Response(null, { status, headers });
}

/** The answer to a problem, in words. */
export function problemInWords(
  problem: Problem,
  { form, cors }: { form: WordForm; cors: CorsPolicy },
): Response {
  const headers = {
    ...problemHeaders(problem, { form, cors, cacheControl: "no-store" }),
    ...(form === "json" && { "content-type": "application/problem+json" }),
  };
  return answer(formatProblem(problem, form), headers, problem.status);
}

/**
 * The answer to a problem as a picture, which an image request gets with 200: image proxies throw away every status but
 * 200, 206 and 304, and a page would show a broken image just when it should show what is wrong.
 */
export function problemInPicture(
  problem: Problem,
  { svg, request, cors }: { svg: string; request: Request; cors: CorsPolicy },
): Response {
  const headers = {
    ...problemHeaders(problem, { form: "svg", cors, cacheControl: UNCACHED_IMAGE }),
    "vary": "Accept",
  };
  return answer(svg, headers, asksForImage(request) ? 200 : problem.status);
}

function problemHeaders(
  problem: Problem,
  { form, ...sharing }: SharingPolicy & { form: Form },
): HeaderRecord {
  return {
    ...headersOf(form, sharing),
    ...remarkOf(problem.kind, sharing.cors),
    ...(problem.status === 401 && { "www-authenticate": 'Bearer realm="Tallymark"' }),
    ...(problem.status === 503 && { "retry-after": "1" }),
    ...(problem.allow !== undefined && { allow: problem.allow }),
  };
}

function formatProblem({ kind: name, title, status, detail }: Problem, form: WordForm): string {
  if (form === "text") return `${title}: ${detail}`;
  return JSON.stringify({ type: `urn:problem-type:tallymark:${name}`, title, status, detail });
}

/** Whether somebody wants to show the answer as an image: their `Accept` names one, and no page. */
function asksForImage({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const ranges = rangesOf(headers);
  return ranges.some((range) => range.startsWith("image/") && !isRefused(range)) &&
    !ranges.some(isPage);
}

/** Whether somebody wants to read the answer as a page: their `Accept` names one. */
export function asksForPage({ headers }: Request): boolean {
  return rangesOf(headers).some((range) => isPage(range) && !isRefused(range));
}

/** Whether a body may be sent gzipped (RFC 9110, section 12.5.3). */
export function acceptsGzip({ headers }: Request): boolean {
  const codings = itemsOf(headers.get("accept-encoding"));
  const coding = codings.find((coding) => /^(?:x-)?gzip\s*(?:;|$)/.test(coding)) ??
    codings.find((coding) => coding.startsWith("*"));
  return coding !== undefined && !isRefused(coding);
}

function rangesOf(headers: Headers): string[] {
  return itemsOf(headers.get("accept"));
}

function itemsOf(list: string | null): string[] {
  return (list ?? "").toLowerCase().split(",").map((item) => item.trim());
}

function isPage(range: string): boolean {
  return range.startsWith("text/html");
}

/** Whether an item has a weight of 0 (RFC 9110, section 12.4.2). */
function isRefused(range: string): boolean {
  return range.split(";").slice(1).some((part) => /^q=0(?:\.0{0,3})?$/.test(part.trim()));
}
