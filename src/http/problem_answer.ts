import type { Problem } from "../problem.ts";
import { asksForImage } from "./accept.ts";
import {
  answer,
  type CorsPolicy,
  type Form,
  type HeaderRecord,
  headersOf,
  remarkOf,
  UNCACHED_IMAGE,
  type WordForm,
} from "./answer.ts";

/** In which words a problem is told, and to whom. */
export interface WordOptions {
  form: WordForm;
  cors: CorsPolicy;
}

/** The answer to a problem, in words. */
export function problemInWords(problem: Problem, { form, cors }: WordOptions): Response {
  const headers = {
    ...problemHeaders(problem, { form, cors, cacheControl: "no-store" }),
    ...(form === "json" && { "content-type": "application/problem+json" }),
  };
  return answer(textOf(problem, form), headers, problem.status);
}

/** A picture to show with a problem, who asked for it, and who may see it. */
export interface PictureOptions {
  svg: string;
  request: Request;
  cors: CorsPolicy;
}

/**
 * The answer to a problem as a picture, which an image request gets with 200: image proxies throw away every status but
 * 200, 206 and 304, and a page would show a broken image just when it should show what is wrong.
 */
export function problemInPicture(
  problem: Problem,
  { svg, request, cors }: PictureOptions,
): Response {
  const headers = {
    ...problemHeaders(problem, { form: "svg", cors, cacheControl: UNCACHED_IMAGE }),
    "vary": "Accept",
  };
  return answer(svg, headers, asksForImage(request) ? 200 : problem.status);
}

interface ProblemForm {
  form: Form;
  cors: CorsPolicy;
  cacheControl: string;
}

function problemHeaders(problem: Problem, { form, ...sharing }: ProblemForm): HeaderRecord {
  return {
    ...headersOf(form, sharing),
    ...remarkOf(problem.kind, sharing.cors),
    ...(problem.status === 401 && { "www-authenticate": 'Bearer realm="Tallymark"' }),
    ...(problem.status === 503 && { "retry-after": "1" }),
    ...(problem.allow !== undefined && { allow: problem.allow }),
  };
}

function textOf({ kind: name, title, status, detail }: Problem, form: WordForm): string {
  if (form === "text") return `${title}: ${detail}`;
  return JSON.stringify({ type: `urn:problem-type:tallymark:${name}`, title, status, detail });
}
