import type { Problem } from "../problem.ts";

/** Header names and values, built once for each kind of answer; as a record Deno takes them up fastest. */
export type Headers = Readonly<Record<string, string>>;

/** What an answer's body is. */
export type Kind = "json" | "text" | "svg";

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

/** The answer to a problem, in the endpoint's own kind. */
export async function problemAnswer(
  problem: Problem,
  kind: Kind,
  audience: Audience,
): Promise<Response> {
  const body = kind === "svg" ? await pictureOf(problem) : textOf(problem, kind);
  return problemWithBody(problem, kind, audience, body);
}

/** The same with a picture of its own, such as the last number that was known. */
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

function textOf({ kind: name, title, status, detail }: Problem, kind: Kind): string {
  if (kind === "text") return `${title}: ${detail}`;
  return JSON.stringify({ type: `urn:problem-type:tallymark:${name}`, title, status, detail });
}

/** Loads what draws badges where no badge has been asked for yet: a start does without it. */
async function pictureOf({ badge }: Problem): Promise<string> {
  const [{ renderError }, { parseLook }] = await Promise.all([
    import("../badge/badge.ts"),
    import("../badge/look.ts"),
  ]);
  return renderError(parseLook(new Map()), badge);
}
