import type { Parameter, ParameterSchema } from "../parameter.ts";
import { Problem } from "../problem.ts";

/** The parameters of a request that its endpoint documents, each decoded once; asking for another does not compile. */
export interface Query<Name extends string> {
  readonly get: (name: Name) => string | undefined;
  /** In the order in which they were given. */
  readonly forEach: (visit: (value: string, name: string) => void) => void;
}

/**
 * Reads the query of a URL as an HTML form would have written it, `+` for a space.
 *
 * Throws the problem "bad-query" where it is not percent-encoded UTF-8 or gives one of the `documented` parameters
 * twice, and "query-too-long" without reading it where it has more than {@linkcode MAX_QUERY_LENGTH} characters. Other
 * parameters are left out.
 */
export function parseQuery(url: string, documented: ReadonlySet<string>): Query<string> {
  const query = new Map<string, string>();
  const start = url.indexOf("?");
  if (start === -1) return query;
  const hash = url.indexOf("#", start);
  const text = url.slice(start + 1, hash === -1 ? undefined : hash);
  if (text.length > MAX_QUERY_LENGTH) throw new Problem("query-too-long");
  const decode = url.length > LONG_URL ? decodeToCopy : decodeQuickly;
  for (const pair of text.split("&")) {
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

/**
 * The query of a request that may be refused because of it, for what its refusal depends on. A query that is too long is
 * not read, so that refusing it costs next to nothing.
 */
export function refusedQuery(url: string): { get(name: string): string | undefined } {
  const start = url.indexOf("?");
  const isShort = start !== -1 && url.length - start - 1 <= MAX_QUERY_LENGTH;
  const values = new URLSearchParams(isShort ? url.slice(start + 1) : "");
  return { get: (name) => values.get(name) ?? undefined };
}

/** Throws the problem "bad-query" where a parameter has a value that it does not accept. */
export function checkValues(query: Query<string>, parameters: readonly Parameter[]): void {
  for (const { name, accepts, schema } of parameters) {
    const value = query.get(name);
    if (value === undefined || accepts === undefined || accepts(value)) continue;
    throw new Problem("bad-query", {
      detail: `The query gives a bad ${name}: it must be ${inWords(schema)}.`,
    });
  }
}

function inWords({ enum: values, maxLength, minimum, maximum }: ParameterSchema): string {
  if (values !== undefined) return values.join(" or ");
  if (maxLength !== undefined) return `a text of 1 to ${maxLength} characters`;
  return `a whole number from ${minimum} to ${maximum}`;
}

/** Characters, which in a URL are bytes: eight of the longest ids, and a visitor with all that stands before its name. */
const MAX_QUERY_LENGTH = 8192;
/** Characters. A part of a longer URL is copied: where it is kept, V8 would keep the whole URL with it. */
const LONG_URL = 1000;
const NEEDS_DECODING = /[%+]/;

function decodeQuickly(text: string): string {
  return NEEDS_DECODING.test(text) ? decodeToCopy(text) : text;
}

/** Decodes strictly: `URLSearchParams` would turn every invalid byte into the same character. */
function decodeToCopy(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new Problem("bad-query", { cause });
  }
}
