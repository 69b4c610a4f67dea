import { HonoBase } from "hono/hono-base";
import type { Result, Router } from "hono/router";
import { getPath } from "hono/utils/url";
import {
  type Access,
  type AccessCheck,
  type AccessLevel,
  CREDENTIALS,
  type Grant,
} from "../auth/access.ts";
import { familyPrefix } from "../auth/secret.ts";
import { type CounterId, counterId, DEFAULT_ID } from "../counter/counter_id.ts";
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
import type { ConnectionInfo, CounterAsked, Endpoint, Route, RouteFacts } from "./endpoint.ts";
import {
  BadQuery,
  checkValues,
  type Parameter,
  parseQuery,
  type Query,
  readQuery,
} from "./query.ts";

/** Answers every request. */
export interface Dispatcher {
  handle(request: Request, connection: ConnectionInfo): Response | Promise<Response>;
  /** Loads every endpoint, and what its first request would have to wait for. */
  load(): Promise<void>;
}

/** Whether the service is ending: Deno breaks off the bodies of all requests then. */
export interface Draining {
  hasBegun: boolean;
}

export interface DispatcherOptions {
  routes: readonly Route[];
  access: Access;
  draining: Draining;
  log: Log;
  metrics: Metrics;
}

export function createDispatcher(
  { routes, access, draining, log, metrics }: DispatcherOptions,
): Dispatcher {
  const checkHost = createHostCheck();
  const otherPaths = metrics.requestsFor("other");
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, rows]) => {
    return new Path(path, { rows, access, meter: metrics.requestsFor(path) });
  });

  /** A request from start to end: host, path and method, query, id, authorization, store. */
  function dispatch(
    path: Path | undefined,
    request: Request,
    connection: ConnectionInfo,
  ): Response | Promise<Response> {
    const { method } = request;
    const row = path?.rowFor(method);
    const route = row?.loaded;
    const meter = path?.meter ?? otherPaths;
    const exchange = createExchange({ route, meter, request, connection });
    if (row !== undefined && route === undefined) {
      return row.load().then(
        () => dispatch(path, request, connection),
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
      const grant = route.authorize?.(exchange) ?? "open";
      const response = grant instanceof Promise
        ? grant.then((grant) => findAndAnswer(route.endpoint, withGrant(exchange, grant)))
        : findAndAnswer(route.endpoint, withGrant(exchange, grant));
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
    const problem = toProblem(error, log);
    const { route, request } = exchange;
    if (route === undefined) {
      return finish(problemInWords(problem, { form: "json", cors: "none" }), exchange);
    }
    const { endpoint, documented } = route;
    const { query, flaw } = error instanceof BadQuery
      ? { query: error.query, flaw: error }
      : exchange.query !== UNREAD
      ? { query: exchange.query }
      : readQuery(request.url, documented);
    endpoint.onProblem?.(problem, flaw === undefined ? query : undefined);
    const cors = corsPolicyOf(route, { request, query });
    if (endpoint.draw !== undefined) {
      const svg = endpoint.draw(problem, query);
      return finish(problemInPicture(problem, { svg, request, cors }), exchange);
    }
    return finish(problemInWords(problem, { form: wordFormOf(endpoint, query), cors }), exchange);
  }

  /** What every answer passes on its way out. */
  function finish(response: Response, exchange: Exchange): Response | Promise<Response> {
    if (exchange.request.method === "HEAD" && response.body !== null) {
      return headOf(response).then((head) => finish(head, exchange));
    }
    // So that nobody sends the next request into a connection that is closing.
    if (draining.hasBegun) response.headers.set("connection", "close");
    exchange.meter.answered(response.status, exchange.since);
    return response;
  }

  // An empty path, as in `GET http://localhost?x`, means "/" (RFC 9110, section 4.2.3); Hono alone would fail on it.
  const app = new HonoBase<{ Bindings: ConnectionInfo }>({
    router: new PathRouter(),
    getPath: (request) => getPath(request) || "/",
  });
  for (const path of paths) app.all(path.path, ({ req, env }) => dispatch(path, req.raw, env));
  app.notFound(({ req, env }) => dispatch(undefined, req.raw, env));
  return {
    handle: (request, connection) => app.fetch(request, connection),
    async load() {
      // What fails now is tried again by the first request for it, which reports it.
      await Promise.allSettled(paths.map((path) => path.load()));
    },
  };
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

function createExchange(
  { route, meter, request, connection }: Pick<
    Exchange,
    "route" | "meter" | "request" | "connection"
  >,
): Exchange {
  return {
    route,
    meter,
    since: Date.now(),
    request,
    connection,
    query: UNREAD,
    understood: asOpaque(undefined),
    id: DEFAULT_ID,
    isFamily: false,
    grant: "open",
  };
}

/** Cast: the types of what an endpoint understood and found are known to itself alone. */
function asOpaque(thing: unknown): never {
  return thing as never;
}

function withGrant(exchange: Exchange, grant: Grant): Exchange {
  exchange.grant = grant;
  return exchange;
}

const NAME_OR_IPV4 = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?(?::(\d{0,5}))?$/;
const IPV6 = /^\[[0-9a-fA-F:.]{2,45}\](?::(\d{0,5}))?$/;

/** What Deno puts into a URL if the header is missing, empty or not text. */
const FALLBACK_HOST = /^localhost(?::|$)/;

/** Throws the problem "bad-host" if the Host header of a request is not a host. */
type HostCheck = (request: Request) => void;

/** A Host header that is not a host can rewrite the URL that routing sees: `Host: a/hit?id=x#`. */
function createHostCheck(): HostCheck {
  /** The scheme and the host, with the slash behind it, that were valid last: most requests name the same ones. */
  let knownOrigin: string | undefined;

  return (request) => {
    const { url } = request;
    if (knownOrigin !== undefined && beginsOnlyWith(knownOrigin, url)) return;
    const host = request.headers.get("host");
    if (host === null) return;
    if (!isHost(host)) throw new Problem("bad-host");
    const origin = url.slice(0, url.indexOf("/", url.indexOf("//") + 2) + 1);
    if (origin.endsWith(`//${host}/`) && !FALLBACK_HOST.test(host)) knownOrigin = origin;
  };
}

function isHost(host: string): boolean {
  const found = NAME_OR_IPV4.exec(host) ??
    (URL.canParse(`http://${host}`) ? IPV6.exec(host) : null);
  return found !== null && Number(found[1] ?? 0) <= 65535;
}

/**
 * Whether the path, which begins with a slash or an asterisk, follows at once: if another of these characters comes later,
 * the path may begin there, and what stands before it was part of the header. Hot path: to read one header, Deno copies all
 * headers of the request. If the request line holds a whole URL, its host is the one that counts, whatever the header says
 * (RFC 9112, section 3.2.2).
 */
function beginsOnlyWith(origin: string, url: string): boolean {
  return url.startsWith(origin) && !url.includes("/", origin.length) &&
    !url.includes("*", origin.length);
}

/** Understands the query and, of an endpoint about a counter, the id in it. */
function understand({ endpoint, documented, choices }: LoadedRoute, exchange: Exchange): void {
  if (endpoint.ignoresQuery === true) return;
  const { request } = exchange;
  const query = exchange.query = parseQuery(request.url, documented);
  checkValues(query, choices);
  exchange.understood = asOpaque(endpoint.understand?.(query, request));
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

/** Hot path: no promise for what is known at once. */
function findAndAnswer(endpoint: Endpoint, exchange: Exchange): Response | Promise<Response> {
  const found = endpoint.find?.(exchange);
  if (!(found instanceof Promise)) return endpoint.answer(asOpaque(found), exchange);
  return found.then(
    (found) => endpoint.answer(asOpaque(found), exchange),
    (error) => {
      if (endpoint.recover === undefined) throw error;
      return endpoint.answer(asOpaque(endpoint.recover(error, exchange)), exchange);
    },
  );
}

const TAKES_KEYS: ReadonlySet<AccessLevel> = new Set(["keyholder", "family"]);

/** The answer to a CORS preflight (Fetch standard, "CORS-preflight request"). */
function preflight(route: LoadedRoute, request: Request): Response {
  const { allow, documented } = route;
  const { query } = readQuery(request.url, documented);
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
  const hasSecret = query.get("token") !== undefined || headers.has("x-auth-token") ||
    headers.has("authorization");
  return hasSecret ? cors : "any";
}

/** A problem as it is; anything else is unexpected, and only the log gets to know what it was. */
function toProblem(error: unknown, log: Log): Problem {
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
function wordFormOf({ errors }: Endpoint, query: Query<string>) {
  if (typeof errors === "function") return errors(query);
  return errors === "svg" ? "json" : errors;
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
  readonly authorize: AccessCheck | undefined;
}

interface PathOptions {
  rows: readonly Route[];
  access: Access;
  meter: RequestMeter;
}

/** The rows of the table that have the same path. */
class Path {
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
    if (typeof route.endpoint !== "function") this.loaded = this.#open(route.endpoint);
  }

  get methods(): readonly string[] {
    return this.#route.methods;
  }

  async load(): Promise<LoadedRoute> {
    const { endpoint } = this.#route;
    return this.loaded ??= this.#open(typeof endpoint === "function" ? await endpoint() : endpoint);
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

/**
 * Finds a path of the table, or one that ends in a star for all that begin with it. Hono's own routers are made for
 * patterns: a start would have to load them, and each request to pass through them.
 */
class PathRouter<Handler> implements Router<Handler> {
  readonly name = "PathRouter";
  readonly #found = new Map<string, Result<Handler>>();
  readonly #below: { prefix: string; found: Result<Handler> }[] = [];

  add(_method: string, path: string, handler: Handler): void {
    const found: Result<Handler> = [[[handler, {}]]];
    if (path.endsWith("*")) this.#below.push({ prefix: path.slice(0, -1), found });
    else this.#found.set(path, found);
  }

  match(_method: string, path: string): Result<Handler> {
    return this.#found.get(path) ??
      this.#below.find(({ prefix }) => path.startsWith(prefix))?.found ?? NOT_FOUND;
  }
}

const NOT_FOUND: Result<never> = [[]];
