import type { AccessLevel, Grant } from "../auth/access.ts";
import { type CounterId, DEFAULT_ID, MAX_ID_BYTES } from "../domain/counter_id.ts";
import type { Problem } from "../problem.ts";
import type { Parameter, ParsedQuery, Query } from "./query.ts";
import type { TextFormat } from "./problem_page.ts";
import type { HeaderRecord, Image } from "./response.ts";

/** The remote end of a connection, as Deno reports it. Empty if there is no connection. */
export interface ConnectionInfo {
  readonly remoteAddr?: { readonly hostname?: string };
}

/** An authorized request. */
export interface RequestContext<Name extends string = string> {
  readonly request: Request;
  readonly connection: ConnectionInfo;
  readonly query: Query<Name>;
  readonly grant: Grant;
  /** The pages that may read the response, if the endpoint decides in place of its route. */
  cors?: CorsPolicy | undefined;
}

/** An authorized request about a counter, or about all counters with a prefix. */
export interface CounterContext<Name extends string = string> extends RequestContext<Name> {
  /** The id of the counter, or the prefix, which has the form of an id. */
  readonly id: CounterId;
  readonly isPrefix: boolean;
}

/** The context of an endpoint by its subject, with the parameters that name the subject. */
interface Contexts<Name extends string> {
  readonly none: RequestContext<Name>;
  readonly counter: CounterContext<Name | "id">;
  readonly prefix: CounterContext<Name | "prefix">;
  readonly "counter or prefix": CounterContext<Name | "id" | "prefix">;
  /** `id` of the context is the first counter. */
  readonly "counters or prefix": CounterContext<Name | "id" | "prefix">;
}

/**
 * The subject of an endpoint: the counter named by `id` or else `home`, the counters whose ids
 * begin with `prefix`, either of the two, or neither.
 */
export type Subject = keyof Contexts<string>;

/** The facts about an endpoint, whose queries have the type `Q`. */
interface EndpointFacts<Q> {
  /** A few words that say what it does. */
  readonly summary: string;
  /** Details that the summary leaves out. */
  readonly description?: string;
  /** Describes the body that a request must have. */
  readonly body?: Content;
  /** True if any query is valid. */
  readonly ignoresQuery?: boolean;
  /** The conventions of another service, if the endpoint follows its protocol. */
  readonly protocol?: Protocol;
  /** The format of its problems, which may depend on the query. The default is JSON. */
  readonly errors?: TextFormat | ((query: Q) => TextFormat);
  /**
   * Draws a problem, from the valid part of the query. Without this, or if it resolves with
   * undefined, problems are text. Never rejects.
   */
  readonly drawProblem?:
    | ((problem: Problem, query: Q) => string | Promise<Image | undefined>)
    | undefined;
  /** Called with each problem of a request; `query` is undefined if it is invalid. */
  readonly onProblem?: (problem: Problem, query: Q | undefined) => void;
  /**
   * The rest of its description in the OpenAPI document, which leaves the endpoint out without one.
   */
  readonly openapi?: Description;
}

/** The conventions of another service, for endpoints that clients written for that service call. */
export interface Protocol {
  /**
   * Reads the subject and the credentials, which the protocol does not send as query parameters.
   */
  readonly readQuery: (request: Request) => ParsedQuery;
  /** Formats a problem as JSON. */
  readonly formatProblem: (problem: Problem) => string;
  /** The CORS headers of a preflight response. */
  readonly preflight: HeaderRecord;
}

/** An endpoint: what its query may hold, what it does with it, and how it is described. */
interface Definition<S extends Subject, Name extends string, Parsed>
  extends EndpointFacts<Contexts<Name>[S]["query"]> {
  /** Its query parameters, without those that name its subject and those of credentials. */
  readonly parameters?: readonly Parameter<Name>[];
  /** Returns what the query asks for. Pure; throws a problem before the client is authorized. */
  readonly parse?: (query: Contexts<Name>[S]["query"], request: Request) => Parsed;
  readonly respond: (
    context: Contexts<Name>[S],
    parsed: Parsed,
  ) => Response | Promise<Response>;
}

/** An endpoint of any kind, as the dispatcher runs it. */
export interface Endpoint extends EndpointFacts<Query<string>> {
  readonly subject: Subject;
  readonly parameters: readonly Parameter[];
  /** Parses a query and returns what responds to the request once it is authorized. */
  readonly prepare: (
    query: Query<string>,
    request: Request,
  ) => (context: CounterContext) => Response | Promise<Response>;
}

/** The description of an endpoint beyond the facts that it runs by. */
export interface Description {
  /** The name of the operation, without the method in front of it. */
  name: string;
  tag: "Counters" | "Badges" | "Owners" | "Service";
  /** The request headers. */
  headers?: ParameterObject[];
  /** The responses of successful requests. */
  responses: Responses;
  /** The statuses of problems, without those that every endpoint has. */
  problems?: readonly number[];
}

/** A parameter of an operation. All are optional. */
export interface ParameterObject {
  name: string;
  in: "query" | "header";
  description: string;
  schema: Schema;
}

/** A response of an endpoint: its headers, and its body in every media type. */
export interface ResponseObject {
  description: string;
  headers: { [name: string]: { description?: string; required?: boolean; schema: Schema } };
  /** Undefined if the response has no body. */
  content?: Content;
}

/** The bodies of a response by media type. */
export type Content = { [mediaType: string]: { schema: Schema } };

/** The responses of an endpoint by status. */
export type Responses = { [status: string]: ResponseObject };

/** A JSON Schema in the dialect of OpenAPI 3.1. */
export type Schema = { readonly [keyword: string]: unknown };

/** Describes a parameter whose value is an id or a prefix. */
export function idParameter<Name extends string>(name: Name, meaning: string): Parameter<Name> {
  return { name, meaning, schema: { type: "string", maxLength: MAX_ID_BYTES } };
}

/** Names a counter. */
export const id = {
  name: "id",
  meaning: "The counter: 1 to 200 bytes of UTF-8, trimmed and normalized to NFC.",
  schema: { type: "string", default: DEFAULT_ID, maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** Maximum number of counters of a request that draws them together. */
export const MAX_DRAWN = 6;

const ids = {
  ...id,
  meaning: `${id.meaning} Up to ${MAX_DRAWN} may be given, as in \`id=a&id=b\`.`,
  maxTimes: MAX_DRAWN,
} as const satisfies Parameter;

/** Names the counters whose ids begin with it. */
export const prefix = idParameter(
  "prefix",
  "Instead of `id`: a group, which is all counters whose id begins with this, as in `blog/`.",
);

const SUBJECT_PARAMETERS: Record<Subject, readonly Parameter[]> = {
  none: [],
  counter: [id],
  prefix: [prefix],
  "counter or prefix": [id, prefix],
  "counters or prefix": [ids, prefix],
};

/**
 * Creates an endpoint about a subject.
 *
 * `parse` runs before the client is authorized and `respond` after it. Both may throw problems,
 * which are reported in the format of the endpoint. `respond` sets no CORS headers, because those
 * follow from the route table.
 *
 * @example
 * ```ts
 * const double = endpoint("counter", {
 *   summary: "Read twice the number",
 *   respond: async ({ id }) => jsonResponse(2 * await counters.total(id)),
 * });
 * ```
 */
export function endpoint<S extends Subject, Name extends string = never, Parsed = undefined>(
  subject: S,
  { parameters = [], parse, respond, ...facts }: Definition<S, Name, Parsed>,
): Endpoint {
  return {
    ...facts,
    subject,
    parameters: [...SUBJECT_PARAMETERS[subject], ...parameters],
    prepare(query, request) {
      // Without `parse`, `Parsed` is undefined.
      const parsed = parse?.(query, request) as Parsed;
      return (context) => respond(context, parsed);
    },
  };
}

/**
 * Calls `next` with a value, at once if it is known. A promise for it would cost 8 to 18 % of the
 * speed of reads.
 */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * The pages that may read a response: those of any site, those of any site as an image only, or
 * none.
 */
export type CorsPolicy = "any" | "image" | "none";

/** A row of the route table. */
export interface Route extends Endpoint {
  readonly path: string;
  /** In the order of the `Allow` header. `OPTIONS` is the CORS preflight. */
  readonly methods: readonly string[];
  readonly access: AccessLevel;
  /**
   * The pages that may read its responses. A key without the secret allows any page to read them.
   */
  readonly cors: CorsPolicy;
}

/** Creates a row of the route table. */
export function route(
  path: string,
  methods: readonly string[],
  access: AccessLevel,
  cors: CorsPolicy,
  endpoint: Endpoint,
): Route {
  return { ...endpoint, path, methods, access, cors };
}

/** The methods of an endpoint for the owner or for people. */
export const GET_HEAD: readonly string[] = ["GET", "HEAD"];
/** The methods of an endpoint that pages of other sites may use. */
export const GET_HEAD_OPTIONS: readonly string[] = [...GET_HEAD, "OPTIONS"];
