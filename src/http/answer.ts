import type { Problem } from "../problem.ts";

/** Header names and values, built once for each kind of answer; as a record Deno takes them up fastest. */
export type Headers = Readonly<Record<string, string>>;

/** What an answer's body is. */
export type Kind = TextKind | "svg";
/** The kinds that are words. */
export type TextKind = "json" | "text";

/** Whose pages may read an answer: those of every site, those of every site as an image only, or none. */
export type Audience = "any" | "image" | "own";

const TYPES: Record<Kind, string> = {
  json: "application/json",
  text: "text/plain; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
};

/** Lets the style of a badge through and nothing else, should somebody open it as a page. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Keeps browsers from guessing another type than the one given; on every answer. */
export const NO_SNIFF: Headers = { "x-content-type-options": "nosniff" };

const ANY_ORIGIN: Headers = { "access-control-allow-origin": "*" };
const CROSS_ORIGIN: Headers = { "cross-origin-resource-policy": "cross-origin" };

/** The headers of one kind of answer. */
export function headersOf(kind: Kind, cacheControl: string, audience: Audience): Headers {
  return {
    "content-type": TYPES[kind],
    "cache-control": cacheControl,
    ...NO_SNIFF,
    ...(audience === "any" && ANY_ORIGIN),
    ...(audience !== "own" && CROSS_ORIGIN),
    ...(kind === "svg" && { "content-security-policy": SVG_POLICY }),
  };
}

/** An answer with these headers. */
export function answer(body: string | null, headers: Headers, status = 200): Response {
  return new Response(body, { status, headers });
}

/** The answer to a problem, in words. */
export function problemAnswer(problem: Problem, kind: TextKind, audience: Audience): Response {
  return problemWithBody(problem, kind, audience, textOf(problem, kind));
}

/** The same with a body of its own, such as a picture. */
export function problemWithBody(
  problem: Problem,
  kind: Kind,
  audience: Audience,
  body: string,
): Response {
  const headers = {
    ...headersOf(kind, "no-store", audience),
    ...(kind === "json" && { "content-type": "application/problem+json" }),
    ...(problem.status === 401 && { "www-authenticate": 'Bearer realm="Tallymark"' }),
    ...(problem.status === 503 && { "retry-after": "1" }),
    ...(problem.allow !== undefined && { allow: problem.allow }),
  };
  return answer(body, headers, problem.status);
}

function textOf({ kind: name, title, status, detail }: Problem, kind: TextKind): string {
  if (kind === "text") return `${title}: ${detail}`;
  return JSON.stringify({ type: `urn:problem-type:tallymark:${name}`, title, status, detail });
}
