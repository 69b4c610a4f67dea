import {
  type Access,
  type AccessCheck,
  type AccessLevel,
  CREDENTIALS,
  type Grant,
} from "../auth/access.ts";
import { familyPrefix } from "../auth/secret.ts";
import { type CounterId, counterId } from "../counter/counter_id.ts";
import { LoadError } from "../load_once.ts";
import type { Log } from "../log.ts";
import type { Metrics, RequestMeter } from "../metrics.ts";
import { Problem } from "../problem.ts";
import {
  answer,
  type CorsPolicy,
  headOf,
  NO_SNIFF,
  problemInPicture,
  problemInWords,
} from "./answer.ts";
import type { CounterAsked, Endpoint, Peer, Route, RouteFacts } from "./endpoint.ts";
import {
  BadQuery,
  checkValues,
  type Parameter,
  parseQuery,
  type Query,
  readableQuery,
} from "./query.ts";

/** Answers every request. */
export interface Dispatcher {
  /** Those of the table. */
  readonly paths: readonly Path[];
  /** Answers a request for a path of the table, or for one that it does not have. */
  dispatch(path: Path | undefined, request: Request, peer: Peer): Response | Promise<Response>;
}

export interface DispatchOptions {
  routes: readonly Route[];
  access: Access;
  draining: ConnectionDraining;
  log: Log;
  metrics: Metrics;
}

export function createDispatcher(
  { routes, access, draining, log, metrics }: DispatchOptions,
): Dispatcher {
  const checkHost = createHostCheck();
  const otherPaths = metrics.requestsFor("other");

  /** A request from start to end: host, path and method, query, id, authorization, store. */
  function dispatch(
    path: Path | undefined,
    request: Request,
    peer: Peer,
  ): Response | Promise<Response> {
    const { method } = request;
    const row = path?.rowFor(method);
    const route = row?.loaded;
    const meter = path?.meter ?? otherPaths;
    const exchange = createExchange({ route, meter, request, peer });
    if (row !== undefined && route === undefined) {
      return row.load().then(
        () => dispatch(path, request, peer),
        (error) => fail(error, exchange),
      );
    }
    try {
      checkHost(request);
      if (route === undefined) throw new Problem("not-found");
      const { allow } = route;
      if (!route.methods.includes(method)) throw new Problem("method-not-allowed", { allow });
      if (method === "OPTIONS") return finish(preflight(route, request), exchange);
      understand(route, exchange);
      const grant = route.authorize(exchange);
      const response = grant instanceof Promise
        ? grant.then((grant) => findAndAnswer(route.endpoint, granted(exchange, grant)))
        : findAndAnswer(route.endpoint, granted(exchange, grant));
      if (!(response instanceof Promise)) return finish(response, exchange);
      return response.then(
        (response) => finish(response, exchange),
        (error) => fail(error, exchange),
      );
    } catch (error) {
      return fail(error, exchange);
    }
  }

  /** Answers with what went wrong; no other place does. */
  function fail(error: unknown, exchange: Exchange): Response | Promise<Response> {
    const problem = problemOf(error, log);
    const { route, request } = exchange;
    if (route === undefined) {
      return finish(problemInWords(problem, { form: "json", cors: "none" }), exchange);
    }
    const { endpoint, documented } = route;
    endpoint.onProblem?.(problem, request);
    const query = exchange.query !== UNREAD
      ? exchange.query
      : error instanceof BadQuery
      ? error.query
      : readableQuery(request.url, documented);
    const cors = corsPolicyOf(route, { request, query });
    if (endpoint.draw !== undefined) {
      const svg = endpoint.draw(problem, query);
      return finish(problemInPicture(problem, { svg, request, cors }), exchange);
    }
    return finish(problemInWords(problem, { form: wordsOf(endpoint, query), cors }), exchange);
  }

  /** What every answer passes on its way out. */
  function finish(response: Response, exchange: Exchange): Response | Promise<Response> {
    if (exchange.request.method === "HEAD" && response.body !== null) {
      return headOf(response).then((head) => finish(head, exchange));
    }
    if (draining.hasBegun) response.headers.set("connection", "close");
    exchange.meter.answered(response.status, exchange.since);
    return response;
  }

  const rowsByPath = Map.groupBy(routes, ({ path }) => path);
  const paths = [...rowsByPath].map(([path, rows]) => {
    return new Path(path, { rows, access, meter: metrics.requestsFor(path) });
  });
  return { paths, dispatch };
}

/** A request on its way, with what is known of it so far. */
interface Exchange extends Mutable<CounterAsked<string, never>> {
  /** Undefined if the table has none for it, or if it is not loaded. */
  readonly route: LoadedRoute | undefined;
  readonly meter: RequestMeter;
  /** Milliseconds since 1970. */
  readonly since: number;
}

type Mutable<Thing> = { -readonly [Key in keyof Thing]: Thing[Key] };

const UNREAD: Query<string> = new Map();

const DEFAULT_ID = counterId(undefined);

function createExchange(
  { route, meter, request, peer }: Pick<Exchange, "route" | "meter" | "request" | "peer">,
): Exchange {
  return {
    route,
    meter,
    since: Date.now(),
    request,
    peer,
    query: UNREAD,
    understood: givenBack(undefined),
    id: DEFAULT_ID,
    isFamily: false,
    grant: "open",
  };
}

/** Cast: an endpoint alone knows the types of what it understood and found. */
function givenBack(thing: unknown): never {
  return thing as never;
}

function granted(exchange: Exchange, grant: Grant): Exchange {
  exchange.grant = grant;
  return exchange;
}

const NAME_OR_IPV4 = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?(?::(\d{0,5}))?$/;
const IPV6 = /^\[[0-9a-fA-F:.]{2,45}\](?::(\d{0,5}))?$/;

/** What Deno puts into a URL where the header is missing, empty or no text. */
const FALLBACK_HOST = /^localhost(?::|$)/;

/** Throws the problem "bad-host" where the Host header of a request is no host. */
type HostCheck = (request: Request) => void;

/** A Host header that is no host can rewrite the URL that routing sees: `Host: a/hit?id=x#`. */
function createHostCheck(): HostCheck {
  /** How the URLs begin that name the host last found right: most requests name the one that the service is known by. */
  let knownBeginning: string | undefined;

  return (request) => {
    const { url } = request;
    if (knownBeginning !== undefined && beginsOnlyWith(knownBeginning, url)) return;
    const host = request.headers.get("host");
    if (host === null) return;
    if (!isHost(host)) throw new Problem("bad-host");
    const beginning = url.slice(0, url.indexOf("/", url.indexOf("//") + 2) + 1);
    if (beginning.endsWith(`//${host}/`) && !FALLBACK_HOST.test(host)) knownBeginning = beginning;
  };
}

function isHost(host: string): boolean {
  const found = NAME_OR_IPV4.exec(host) ??
    (URL.canParse(`http://${host}`) ? IPV6.exec(host) : null);
  return found !== null && Number(found[1] ?? 0) <= 65535;
}

/**
 * Whether the path that was asked for, which begins with a slash or an asterisk, follows at once: where another of these
 * comes later that path may begin there, and what stands before it was in the header. So a host is known without the
 * header; to look at one has Deno keep all headers of the request, which takes a twentieth of a read. Where the request
 * line holds a whole URL its host is the one that counts, whatever the header says (RFC 9112, section 3.2.2).
 */
function beginsOnlyWith(beginning: string, url: string): boolean {
  return url.startsWith(beginning) && !url.includes("/", beginning.length) &&
    !url.includes("*", beginning.length);
}

/** Understands the query and, of an endpoint about a counter, the id in it. */
function understand({ endpoint, documented, choices }: LoadedRoute, exchange: Exchange): void {
  if (endpoint.ignoresQuery === true) return;
  const { request } = exchange;
  const query = exchange.query = parseQuery(request.url, documented);
  checkValues(query, choices);
  exchange.understood = givenBack(endpoint.understand?.(query, request));
  const { subject } = endpoint;
  if (subject === "none") return;
  if (request.method === "POST") refuseBody(request);
  exchange.isFamily = subject === "family" ||
    (subject === "either" && query.get("prefix") !== undefined);
  exchange.id = exchange.isFamily ? familyIn(query) : counterId(query.get("id"));
}

/** The prefix of a family, as it would be the id of a counter. */
function familyIn(query: Query<string>): CounterId {
  const prefix = query.get("prefix");
  if (prefix !== undefined && query.get("id") === undefined) return counterId(familyPrefix(prefix));
  throw new Problem("bad-query", {
    detail: prefix === undefined
      ? "Send the prefix of a family, as in prefix=blog/."
      : "Send id or prefix, not both.",
  });
}

/** A form or a JSON body would be overlooked, and the default counter counted in silence. */
function refuseBody({ headers }: Request): void {
  const length = headers.get("content-length");
  if (length === null ? headers.get("transfer-encoding") !== null : Number(length) > 0) {
    throw new Problem("bad-body", { detail: "Send the id in the query, and no body." });
  }
}

/** Hot path: what is known at once is answered at once, as a read would wait for a promise longer than for all else. */
function findAndAnswer(endpoint: Endpoint, exchange: Exchange): Response | Promise<Response> {
  const found = endpoint.find?.(exchange);
  if (!(found instanceof Promise)) return endpoint.answer(givenBack(found), exchange);
  return found.then(
    (found) => endpoint.answer(givenBack(found), exchange),
    (error) => {
      if (endpoint.recover === undefined) throw error;
      return endpoint.answer(givenBack(endpoint.recover(error, exchange)), exchange);
    },
  );
}

const TAKES_KEYS: ReadonlySet<AccessLevel> = new Set(["keyholder", "family"]);

/** The answer to a CORS preflight (Fetch standard, "CORS-preflight request"). */
function preflight(route: LoadedRoute, request: Request): Response {
  const { allow, documented } = route;
  const query = readableQuery(request.url, documented);
  if (corsPolicyOf(route, { request, query }) !== "any") {
    return answer(null, { allow, ...NO_SNIFF }, 204);
  }
  return answer(null, {
    allow,
    ...NO_SNIFF,
    "access-control-allow-origin": "*",
    "access-control-allow-methods": allow,
    // What a key opens is not for the secret, which a header could show.
    ...(!TAKES_KEYS.has(route.access) && { "access-control-allow-headers": "*" }),
    "access-control-max-age": "86400",
  }, 204);
}

/**
 * Whose pages may read the answer to a request. A key may stand in any page, and so may what it is asked with be read by
 * any, as long as the secret is not shown beside it.
 */
function corsPolicyOf(
  { access, cors }: RouteFacts,
  { request: { headers }, query }: { request: Request; query: Query<string> },
): CorsPolicy {
  if (!TAKES_KEYS.has(access) || query.get("key") === undefined) return cors;
  const showsSecret = query.get("token") !== undefined || headers.has("x-auth-token") ||
    headers.has("authorization");
  return showsSecret ? cors : "any";
}

/** A problem as it is; anything else is unexpected, and only the log gets to know what it was. */
function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof LoadError) {
    log.error("module not loaded", { cause: error.cause });
    return new Problem("overloaded", { detail: NOT_LOADED, cause: error });
  }
  const stack = error instanceof Error ? error.stack : undefined;
  log.error("unexpected error", { cause: error, ...(stack !== undefined && { stack }) });
  return new Problem("internal", { cause: error });
}

const NOT_LOADED =
  "Part of the service could not be loaded. Nothing was changed, so it is safe to retry.";

/** The words to report a problem in. */
function wordsOf({ errors }: Endpoint, query: Query<string>) {
  if (typeof errors === "function") return errors(query);
  return errors === "svg" ? "json" : errors;
}

/** Has connections end after an answer that says so: nobody can send the next request into one that is closing. */
export class ConnectionDraining {
  #hasBegun = false;

  /** Whether it has begun: Deno breaks off the bodies of all requests then. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Has every answer from now on end its connection, those to requests under way included. */
  begin(): void {
    this.#hasBegun = true;
  }
}

/** A row of the table whose endpoint is loaded, with what every request for it needs. */
interface LoadedRoute extends RouteFacts {
  readonly endpoint: Endpoint;
  /** The methods of all rows of the path. */
  readonly allow: string;
  /** The names of all parameters, of the credentials too. */
  readonly documented: ReadonlySet<string>;
  /** The parameters that do not take every value. */
  readonly choices: readonly Parameter[];
  readonly authorize: AccessCheck;
}

interface PathOptions {
  rows: readonly Route[];
  access: Access;
  meter: RequestMeter;
}

/** The rows of the table that have the same path. */
export class Path {
  readonly meter: RequestMeter;
  readonly #rows: readonly Row[];
  readonly #byMethod: ReadonlyMap<string, Row>;

  constructor(readonly path: string, { rows, access, meter }: PathOptions) {
    const allow = rows.flatMap(({ methods }) => methods).join(", ");
    this.meter = meter;
    this.#rows = rows.map((route) => new Row(route, { access, allow }));
    const byMethod = this.#rows.flatMap((row) =>
      row.methods.map((method): [string, Row] => [method, row])
    );
    this.#byMethod = new Map(byMethod);
  }

  /** The row for a method; the first if none has it, which refuses it. */
  rowFor(method: string): Row | undefined {
    return this.#byMethod.get(method) ?? this.#rows[0];
  }

  /** Loads every endpoint, and what its first request would have to wait for. */
  async load(): Promise<void> {
    await Promise.all(this.#rows.map(async (row) => {
      const { endpoint } = await row.load();
      await endpoint.preload?.();
    }));
  }
}

class Row {
  /** Undefined until it is loaded. */
  loaded: LoadedRoute | undefined;
  readonly #route: Route;
  readonly #options: { access: Access; allow: string };

  constructor(route: Route, options: { access: Access; allow: string }) {
    this.#route = route;
    this.#options = options;
    if (route.endpoint !== undefined) this.loaded = this.#open(route.endpoint);
  }

  get methods(): readonly string[] {
    return this.#route.methods;
  }

  async load(): Promise<LoadedRoute> {
    return this.loaded ??= this.#open(await this.#route.load());
  }

  #open(endpoint: Endpoint): LoadedRoute {
    const { path, methods, access, cors } = this.#route;
    const { allow, access: { check } } = this.#options;
    const parameters: readonly Parameter[] = [...endpoint.parameters, ...CREDENTIALS[access]];
    return {
      ...{ path, methods, access, cors, endpoint, allow },
      documented: new Set(
        parameters.filter(({ maxTimes }) => maxTimes === undefined).map(({ name }) => name),
      ),
      choices: endpoint.parameters.filter(({ accepts }) => accepts !== undefined),
      authorize: check[access],
    };
  }
}
