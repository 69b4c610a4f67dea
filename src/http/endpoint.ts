import type { AccessLevel, Grant } from "../auth/access.ts";
import { type CounterId, DEFAULT_ID, MAX_ID_BYTES } from "../counter/counter_id.ts";
import { loadOnce } from "../load_once.ts";
import type * as openapi from "../openapi/answers.ts";
import type { Problem } from "../problem.ts";
import type { CorsPolicy, WordForm } from "./answer.ts";
import type { Parameter, Query } from "./query.ts";

/** Who is at the other end of a connection, as Deno reports it; nothing if there is no connection. */
export interface ConnectionInfo {
  readonly remoteAddr?: { readonly hostname?: string };
}

/** A request that was understood and authorized. */
export interface Asked<Name extends string = string, Understood = unknown> {
  readonly request: Request;
  readonly connection: ConnectionInfo;
  readonly query: Query<Name>;
  readonly understood: Understood;
  readonly grant: Grant;
}

/** The same for an endpoint that is about one counter, or about a family of counters. */
export interface CounterAsked<Name extends string = string, Understood = unknown>
  extends Asked<Name, Understood> {
  /** Of a family, the prefix of its ids, which could be an id too. */
  readonly id: CounterId;
  readonly isFamily: boolean;
}

/**
 * What an endpoint says of itself, and what it does with a request, in the order in which it happens. `Given` is the query,
 * and `Call` the request once it is understood and authorized.
 */
interface Definition<
  Name extends string,
  Given extends Query<never>,
  Call,
  Understood,
  Found,
  Answered = Found,
> {
  /** What it does, in a few words. */
  readonly summary: string;
  /** What its query may hold, beside the credentials. */
  readonly parameters: readonly Parameter<Name>[];
  /** How it reports problems: in words, whose form may depend on the query, or in pictures, which `draw` draws. */
  readonly errors: WordForm | ((query: Given) => WordForm) | "svg";
  /** Whether it answers whatever its query is. */
  readonly ignoresQuery?: boolean;
  /** What the query asks for; throws the problem with it before the caller is authorized. */
  readonly understand?: (query: Given, request: Request) => Understood;
  /** Asks the store for what the answer says, or does what was asked for. */
  readonly find?: (asked: Call) => Found | Promise<Found>;
  /** What to answer with if `find` rejects; throws the error on if there is nothing. */
  readonly recover?: (error: unknown, asked: Call) => Found;
  readonly answer: (found: Answered, asked: Call) => Response | Promise<Response>;
  /** Draws a problem; the query is what could be read of it. */
  readonly draw?: (problem: Problem, query: Given) => string;
  /** Called with every problem that it answers with; without the query if that cannot be read. */
  readonly onProblem?: (problem: Problem, query: Given | undefined) => void;
  /** Loads what the first request would have to wait for. */
  readonly preload?: () => Promise<unknown>;
  /** What the OpenAPI document says beyond this, put together of the parts that it is given; left out of it without. */
  readonly describe?: (parts: typeof openapi) => openapi.Description;
}

/** An endpoint of any kind. What it understood and found is opaque to its caller, who passes both on to its next step. */
export interface Endpoint
  extends Definition<string, Query<string>, CounterAsked<string, never>, unknown, unknown, never> {
  /**
   * What the query names: a counter in `id`, `home` if it is left out; a family in `prefix`; either of them; or nothing of
   * the kind.
   */
  readonly subject: "counter" | "family" | "either" | "none";
}

/** The counter that a request is about. */
export const id = {
  name: "id",
  meaning: "The counter: 1 to 200 bytes of UTF-8, trimmed and normalized to NFC.",
  schema: { type: "string", default: DEFAULT_ID, maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** A family of counters. */
export const family = {
  name: "prefix",
  meaning:
    "Instead of `id`: a family, which is all counters whose id begins with this, as in `blog/`.",
  schema: { type: "string", maxLength: MAX_ID_BYTES },
} as const satisfies Parameter;

/** An endpoint that is not about one counter. */
export function endpoint<Name extends string, Understood, Found>(
  definition: Definition<Name, Query<Name>, Asked<Name, Understood>, Understood, Found>,
): Endpoint {
  return { ...definition, subject: "none" };
}

/** The definition of an endpoint that has `Own` parameters, which name its subject, before those of the definition. */
type SubjectDefinition<Own extends string, Name extends string, Understood, Found> = Definition<
  Name,
  Query<Name | Own>,
  CounterAsked<Name | Own, Understood>,
  Understood,
  Found
>;

/** An endpoint that is about the counter that `id` names. */
export function counterEndpoint<Name extends string, Understood, Found>(
  definition: SubjectDefinition<"id", Name, Understood, Found>,
): Endpoint {
  return { ...definition, parameters: [id, ...definition.parameters], subject: "counter" };
}

/** An endpoint that reads the counter that `id` names, or the sum of the family that `prefix` names. */
export function readEndpoint<Name extends string, Understood, Found>(
  definition: SubjectDefinition<"id" | "prefix", Name, Understood, Found>,
): Endpoint {
  return { ...definition, parameters: [id, family, ...definition.parameters], subject: "either" };
}

/** An endpoint that is about the family that `prefix` names. */
export function familyEndpoint<Name extends string, Understood, Found>(
  definition: SubjectDefinition<"prefix", Name, Understood, Found>,
): Endpoint {
  return { ...definition, parameters: [family, ...definition.parameters], subject: "family" };
}

/** What the table of routes says of an endpoint. */
export interface RouteFacts {
  readonly path: string;
  /** As `Allow` lists them; `OPTIONS` is the preflight of CORS. */
  readonly methods: readonly string[];
  readonly access: AccessLevel;
  /** Whose pages may read the answers; those of every site if the request shows a counter key and not the secret. */
  readonly cors: CorsPolicy;
}

/** A row of the table of routes. */
export interface Route extends RouteFacts {
  /** The endpoint, or what loads it once. */
  readonly endpoint: Endpoint | (() => Promise<Endpoint>);
}

/** An endpoint with what the table says of it. */
export type RoutedEndpoint = RouteFacts & Endpoint;

/**
 * A row of the table of routes. The start waits for an endpoint; a function loads one soon after the start, or with the
 * first request for it.
 */
export function route(
  path: string,
  methods: readonly string[],
  access: AccessLevel,
  cors: CorsPolicy,
  endpoint: Route["endpoint"],
): Route {
  const once = typeof endpoint === "function" ? loadOnce(endpoint) : endpoint;
  return { path, methods, access, cors, endpoint: once };
}

/** The methods of an endpoint that reads for its owner or for people. */
export const READ: readonly string[] = ["GET", "HEAD"];
/** The methods of an endpoint that pages of other sites may read. */
export const SHARED_READ: readonly string[] = [...READ, "OPTIONS"];
