import { Problem } from "../problem.ts";

/** The documented parameters of a request that were given, each decoded once. */
export type Query = ReadonlyMap<string, string>;

/**
 * Reads the query of a URL as an HTML form would have written it, `+` for a space.
 *
 * Throws the problem "bad-query" where it is not percent-encoded UTF-8 or gives one of the `documented` parameters
 * twice. Other parameters are left out.
 */
export function parseQuery(url: string, documented: ReadonlySet<string>): Query {
  const query = new Map<string, string>();
  const start = url.indexOf("?");
  if (start === -1) return query;
  const hash = url.indexOf("#", start);
  for (const pair of url.slice(start + 1, hash === -1 ? undefined : hash).split("&")) {
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1));
    if (!documented.has(name)) continue;
    if (query.has(name)) {
      throw new Problem("bad-query", { detail: `The query gives ${name} twice: give it once.` });
    }
    query.set(name, value);
  }
  return query;
}

const NEEDS_DECODING = /[%+]/;

/** Decodes strictly: `URLSearchParams` would turn every invalid byte into the same character. */
function decode(text: string): string {
  if (!NEEDS_DECODING.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new Problem("bad-query", { cause });
  }
}
