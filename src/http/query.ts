import { Problem } from "../problem.ts";

/** The values that a parameter accepts, as JSON Schema (and so OpenAPI) describes them. */
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

/** A query parameter: its name, its meaning in Markdown and its values. */
export interface Parameter<Name extends string = string> {
  readonly name: Name;
  readonly meaning: string;
  readonly schema: ParameterSchema;
  /** True if a value that the schema excludes is refused. Without this, it means the default. */
  readonly isStrict?: boolean;
  /** Maximum number of its values, if it may be given more than once. */
  readonly maxTimes?: number;
}

/** The documented parameters of a request, decoded. Asking for any other name does not compile. */
export interface Query<Name extends string> {
  /** Returns the value of a parameter, the first one if it has several. */
  readonly get: (name: Name) => string | undefined;
  /** Returns the values of a parameter that may be given more than once. */
  readonly getAll: (name: Name) => readonly string[];
  /** Visits the parameters in the order in which they were given. */
  readonly forEach: (visit: (value: string, name: string) => void) => void;
}

/** A query that was read: what could be read of it, and the error if it is invalid. */
export interface ParsedQuery {
  readonly query: Query<string>;
  /** A problem "bad-query" or "query-too-long". */
  readonly error: Problem | undefined;
}

/** Maximum length of a query in characters, enough for 13 ids of the maximum length. */
export const MAX_QUERY_LENGTH = 8192;

/** The values of parameters by their names. */
export class QueryValues extends Map<string, string> implements Query<string> {
  /** The names and values after the first of their name. Undefined in nearly every query. */
  private later: [name: string, value: string][] | undefined;

  getAll(name: string): readonly string[] {
    const first = this.get(name);
    if (first === undefined) return [];
    const later = this.later?.filter(([other]) => other === name) ?? [];
    return [first, ...later.map(([, value]) => value)];
  }

  /** Adds a value to a parameter that has one. */
  addLater(name: string, value: string): void {
    (this.later ??= []).push([name, value]);
  }
}

/** The rest of each `&amp;` in HTML that was escaped twice, as sites with embedded images do. */
const ESCAPED = /^(?:amp;)+/;

/**
 * Reads the query of a URL as an HTML form writes it, with `+` for a space. Ignores parameters
 * that are not `documented`, and the `amp;` in front of a name. Those that are `repeatable` may
 * have several values.
 *
 * Returns the error `bad-query` if the query is not percent-encoded UTF-8 or repeats another
 * parameter. Returns `query-too-long`, without reading it, if it has more than 8,192 characters.
 */
export function parseQuery(
  url: string,
  documented: ReadonlySet<string>,
  repeatable: ReadonlySet<string> = new Set(),
): ParsedQuery {
  const query = new QueryValues();
  const start = url.indexOf("?");
  if (start === -1) return { query, error: undefined };
  const hash = url.indexOf("#", start);
  const text = url.slice(start + 1, hash === -1 ? undefined : hash);
  if (text.length > MAX_QUERY_LENGTH) return { query, error: new Problem("query-too-long") };
  let error: Problem | undefined;
  for (const pair of text.split("&")) {
    const equals = pair.indexOf("=");
    const given = equals === -1 ? pair : pair.slice(0, equals);
    // Documented names need no decoding.
    const name = documented.has(given) ? given : decode(given)?.replace(ESCAPED, "");
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) error ??= new Problem("bad-query");
    else if (!documented.has(name)) continue;
    else if (!query.has(name)) query.set(name, value);
    else if (repeatable.has(name)) query.addLater(name, value);
    else error ??= new Problem("bad-query", { detail: `The query has ${name} more than once.` });
  }
  return { query, error };
}

/** Decodes a part of a query, in which `+` is a space. */
function decode(text: string): string | undefined {
  return percentDecoded(text.replaceAll("+", " "));
}

/**
 * Decodes percent-encoded UTF-8. Returns undefined if a text is anything else, where
 * `URLSearchParams` would turn every invalid byte into the same character. Returns a copy, because
 * V8 keeps a whole URL as long as a slice of it is kept.
 */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Throws the problem "bad-query" if a parameter has a value that its schema excludes. */
export function checkValues(query: Query<string>, parameters: readonly Parameter[]): void {
  for (const { name, schema } of parameters) {
    const value = query.get(name);
    if (value === undefined || isAllowed(value, schema)) continue;
    throw new Problem("bad-query", {
      detail: `The query has a bad ${name}: it must be ${formatValues(schema)}.`,
    });
  }
}

/** Reports whether a schema allows a value. A number has no sign and no zeros in front. */
function isAllowed(value: string, schema: ParameterSchema): boolean {
  const { enum: values, maxLength = Infinity, minimum = 0, maximum = Infinity } = schema;
  if (values !== undefined) return values.includes(value);
  if (schema.type === "string") return value !== "" && value.length <= maxLength;
  return /^(?:0|[1-9]\d*)$/.test(value) && Number(value) >= minimum && Number(value) <= maximum;
}

function formatValues({ enum: values, maxLength, minimum, maximum }: ParameterSchema): string {
  if (values !== undefined) return values.join(" or ");
  if (maxLength !== undefined) return `1 to ${maxLength} characters`;
  return `a whole number from ${minimum} to ${maximum}`;
}
