import { Problem } from "../problem.ts";

/** What a parameter may be, as JSON Schema (and so OpenAPI) says it. */
export interface ParameterSchema {
  readonly type: "string" | "integer";
  readonly default?: string | number;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly pattern?: string;
  readonly format?: "date";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** One query parameter: its name, what it means in Markdown, and what it may be. */
export interface Parameter<Name extends string = string> {
  readonly name: Name;
  readonly meaning: string;
  readonly schema: ParameterSchema;
  /** Whether a text is one of its values; without this, what is not understood is as good as the default. */
  readonly accepts?: (text: string) => boolean;
  /** How often it may be given, if more than once. */
  readonly maxTimes?: number;
}

/** The parameters of a request that its endpoint documents, each decoded once; asking for another does not compile. */
export interface Query<Name extends string> {
  readonly get: (name: Name) => string | undefined;
  /** In the order in which they were given. */
  readonly forEach: (visit: (value: string, name: string) => void) => void;
}

/** What is wrong with a query, and what could be read of it all the same, on which the answer may depend. */
export class BadQuery extends Problem {
  constructor(
    kind: "bad-query" | "query-too-long",
    readonly query: Query<string>,
    options: { detail?: string } = {},
  ) {
    super(kind, options);
  }
}

/**
 * Reads the query of a URL as an HTML form would have written it, `+` for a space.
 *
 * Throws a {@linkcode BadQuery}: "bad-query" if it is not percent-encoded UTF-8 or gives one of the `documented` parameters
 * twice, and "query-too-long", without reading it, if it has more than 8,192 characters. Other parameters are left out.
 */
export function parseQuery(url: string, documented: ReadonlySet<string>): Query<string> {
  const query = new Map<string, string>();
  const start = url.indexOf("?");
  if (start === -1) return query;
  const hash = url.indexOf("#", start);
  const text = url.slice(start + 1, hash === -1 ? undefined : hash);
  if (text.length > MAX_QUERY_LENGTH) throw new BadQuery("query-too-long", query);
  let flaw: { detail?: string } | undefined;
  for (const pair of text.split("&")) {
    const equals = pair.indexOf("=");
    const given = equals === -1 ? pair : pair.slice(0, equals);
    // Hot path: no documented name has anything to decode.
    const name = documented.has(given) ? given : decode(given);
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) flaw ??= {};
    else if (!documented.has(name)) continue;
    else if (query.has(name)) flaw ??= { detail: `The query has ${name} more than once.` };
    else query.set(name, value);
  }
  if (flaw !== undefined) throw new BadQuery("bad-query", query, flaw);
  return query;
}

/** The same for a query that need not be right: what can be read of it, and what is wrong with it. */
export function readQuery(
  url: string,
  documented: ReadonlySet<string>,
): { query: Query<string>; flaw?: Problem } {
  try {
    return { query: parseQuery(url, documented) };
  } catch (flaw) {
    if (flaw instanceof BadQuery) return { query: flaw.query, flaw };
    throw flaw;
  }
}

/** Throws the problem "bad-query" if a parameter has a value that it does not accept. */
export function checkValues(query: Query<string>, parameters: readonly Parameter[]): void {
  for (const { name, accepts, schema } of parameters) {
    const value = query.get(name);
    if (value === undefined || accepts === undefined || accepts(value)) continue;
    throw new Problem("bad-query", {
      detail: `The query has a bad ${name}: it must be ${inWords(schema)}.`,
    });
  }
}

function inWords({ enum: values, maxLength, minimum, maximum }: ParameterSchema): string {
  if (values !== undefined) return values.join(" or ");
  if (maxLength !== undefined) return `1 to ${maxLength} characters`;
  return `a whole number from ${minimum} to ${maximum}`;
}

/** Characters, which in a URL are bytes: eight of the longest ids, and a visitor with all that stands before its name. */
export const MAX_QUERY_LENGTH = 8192;

/**
 * Decodes strictly: `URLSearchParams` would turn every invalid byte into the same character. What it returns is a copy: V8
 * would keep a whole URL for as long as a part of it is kept.
 */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
