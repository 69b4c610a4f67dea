import type { Problem } from "../problem.ts";
import { asksForImage } from "./negotiation.ts";
import {
  createResponse,
  flagHeader,
  type HeaderRecord,
  headersFor,
  type Image,
  inHtml,
  SVG_POLICY,
  UNCACHED_IMAGE,
} from "./response.ts";

/** The format of a problem that is reported as text. */
export type TextFormat = "json" | "text" | "html";

/**
 * Creates the response to a problem as text, or as the JSON that a function returns for it. `path`
 * is given if no endpoint has it. The client's `Accept` chose the format then.
 */
export function problemResponse(
  problem: Problem,
  format: TextFormat | ((problem: Problem) => string),
  path?: string,
): Response {
  const isText = typeof format !== "function";
  const headers = {
    ...headersFor(isText ? format : "json", "no-store"),
    ...problemHeaders(problem),
    ...(format === "json" && { "content-type": "application/problem+json" }),
    ...(format === "html" && { "content-security-policy": PROBLEM_POLICY }),
    ...(path !== undefined && format === "html" && { vary: "Accept" }),
  };
  const body = isText ? formatProblem(problem, { format, path }) : format(problem);
  return createResponse(body, headers, problem.status);
}

/**
 * Creates the response to a problem as an image. The status is 200 if an image was asked for,
 * because image proxies discard every status but 200, 206 and 304. With another one, a page would
 * show a broken image in place of the error.
 */
export function problemImageResponse(
  problem: Problem,
  { image, request }: { image: Image; request: Request },
): Response {
  const headers = {
    ...headersFor(typeof image === "string" ? "svg" : "png", UNCACHED_IMAGE),
    ...problemHeaders(problem),
    "vary": "Accept",
  };
  return createResponse(image, headers, asksForImage(request) ? 200 : problem.status);
}

function problemHeaders({ kind, status, allow }: Problem): HeaderRecord {
  return {
    ...flagHeader(kind),
    ...(status === 401 && { "www-authenticate": 'Bearer realm="Tallymark"' }),
    ...(status === 503 && { "retry-after": "1" }),
    ...(allow !== undefined && { allow }),
  };
}

function formatProblem(
  { kind, title, status, detail }: Problem,
  { format, path = "/" }: { format: TextFormat; path: string | undefined },
): string {
  if (format === "text") return `${title}: ${detail}`;
  if (format === "html") {
    const said = PAGE_WORDS[status] ?? { heading: title, words: detail };
    // A proxy may serve all paths below another one.
    const depth = Math.min(path.split("/").length - 2, MAX_DEPTH);
    const root = "../".repeat(depth) || "./";
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">${ICON}` +
      `<title>${said.heading} · Tallymark</title><style>${PROBLEM_STYLE}</style></head>` +
      `<body><header><a href="${root}">${MARK}Tallymark</a></header><main>${MARK}<h1>${said.heading}</h1><p>${
        inHtml(said.words)
      }</p>` +
      `<p><a href="${root}">Build a badge</a> <a href="${root}api">API</a></p></main></body></html>`;
  }
  return JSON.stringify({ type: `urn:problem-type:tallymark:${kind}`, title, status, detail });
}

/** Maximum number of levels that a page leads up. More would let the page grow with its path. */
const MAX_DEPTH = 20;
const PROBLEM_POLICY = `${SVG_POLICY}; img-src data:; frame-ancestors 'none'`;
/** The colors and sizes of the other pages. */
const PROBLEM_STYLE = ":root{color-scheme:light dark}body{margin:0;" +
  "background:light-dark(#fbfbf9,#0f1312);color:light-dark(#1a1f1d,#e8edeb);" +
  "font:15px/22px -apple-system,BlinkMacSystemFont,'Segoe UI',Helvetica,Arial,sans-serif}" +
  "header{padding:0 20px;border-bottom:1px solid light-dark(#e3e5e0,#2b3230);" +
  "background:light-dark(#fff,#161b1a)}header a{display:flex;align-items:center;gap:9px;" +
  "max-width:1120px;min-height:56px;margin:auto;font-weight:600;font-size:17px;" +
  "text-decoration:none;color:inherit}header svg{width:24px}" +
  "main{box-sizing:border-box;width:calc(100% - 40px);max-width:438px;margin:64px auto;" +
  "padding:28px;text-align:center;border-radius:8px;" +
  "border:1px solid light-dark(#e3e5e0,#2b3230);background:light-dark(#fff,#161b1a)}" +
  "main svg{width:56px}h1{margin:14px 0 4px;font-size:20px;line-height:28px}p{margin:0 0 18px;" +
  "color:light-dark(#5b645f,#9ca7a2)}p a{margin:0 10px;color:light-dark(#0b7261,#5ad1b2)}";

/** The words of a page for a status, in place of those of the problem. */
const PAGE_WORDS: Readonly<Record<number, { heading: string; words: string }>> = {
  401: {
    heading: "This link opens nothing",
    words: "Its key is wrong, or the owner has made a new one. Ask the person who sent it to you.",
  },
  404: { heading: "Nothing at this address", words: "This server has no page here." },
};

/** The mark of the service. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" ` +
  `stroke="#17957f" stroke-width="2.4" stroke-linecap="round" aria-hidden="true">` +
  `<path d="M4.5 5v14M9.5 5v14M14.5 5v14M19.5 5v14M1.5 16.5L22.5 7.5"/></svg>`;
/** The mark as the icon of a page. It is in the page, because it must not depend on its path. */
export const ICON = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(MARK)}">`;
