import { HonoBase } from "hono/hono-base";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { getPath } from "hono/utils/url";
import { type Access, credentialParameters, type Grant, key } from "../auth/access.ts";
import { keyPrefix } from "../auth/keys.ts";
import { type CounterId, counterId, DEFAULT_ID } from "../domain/counter_id.ts";
import type { Metrics, RequestMeter } from "../metrics.ts";
import { FULL_DISK, isFullDisk, Problem } from "../problem.ts";
import type { Draining } from "./reading.ts";
import { allowPages, corsPolicy, preflightResponse } from "./cors.ts";
import { type ConnectionInfo, type CorsPolicy, type Route, whenKnown } from "./endpoint.ts";
import {
  checkValues,
  type Parameter,
  type ParsedQuery,
  parseQuery,
  type Query,
  QueryValues,
} from "./query.ts";
import { asksForPage } from "./negotiation.ts";
import { problemImageResponse, problemResponse } from "./problem_page.ts";
import { headResponse } from "./response.ts";

/** Creates what responds to requests by the route table. */
export function createDispatcher(
  { routes, access, draining, toProblem, metrics }: {
    routes: readonly Route[];
    access: Access;
    draining: Draining;
    toProblem: (error: unknown) => Problem;
    metrics: Metrics;
  },
) {
  const checkHost = createHostCheck();
  const otherPaths = metrics.requestsFor("other");

  /** Responds to a request: host, path and method, then {@linkcode respond}. */
  function handle(
    route: CompiledRoute | undefined,
    request: Request,
    connection: ConnectionInfo,
  ): Response | Promise<Response> {
    const { query, error: queryError } = route?.readQuery(request) ?? NO_QUERY;
    const meter = route?.meter ?? otherPaths;
    const state = new RequestState(request, connection, query, meter, route, queryError);
    try {
      checkHost(request);
      if (route === undefined) throw new Problem("not-found");
      const { allow, methods } = route;
      if (!methods.includes(request.method)) throw new Problem("method-not-allowed", { allow });
      if (request.method === "OPTIONS") return finish(preflightResponse(route, state), state);
      return respond(route, state);
    } catch (error) {
      return fail(error, state);
    }
  }

  /** Prepares and authorizes a request, then has the endpoint respond to it. */
  function respond(route: CompiledRoute, state: RequestState): Response | Promise<Response> {
    const succeed = (response: Response) =>
      finish(allowPages(response, corsPolicy(route, state)), state);
    try {
      const run = prepare(route, state);
      // Tell the owner of a group apart, whose sums do not wait for those of strangers.
      state.grant = route.authorize?.(state) ??
        (state.isPrefix && access.isOwner(state) ? "secret" : "open");
      const response = run(state);
      if (!(response instanceof Promise)) return succeed(response);
      return response.then(succeed, (error) => fail(error, state));
    } catch (error) {
      return fail(error, state);
    }
  }

  /** Responds with an error in the format of the endpoint. */
  function fail(error: unknown, state: RequestState): Response | Promise<Response> {
    const found = toProblem(error);
    const problem = isFullDisk(found) && access.isOwner(state)
      ? new Problem(found.kind, { detail: `${found.detail} ${FULL_DISK}`, cause: found })
      : found;
    const { route, request, query, queryError } = state;
    if (route === undefined) {
      const format = asksForPage(request) ? "html" : "json";
      return finish(problemResponse(problem, format, pathOf(request)), state);
    }
    route.onProblem?.(problem, queryError === undefined ? query : undefined);
    const { errors = "json", protocol } = route;
    const format = typeof errors === "function" ? errors(query) : errors;
    return whenKnown(route.drawProblem?.(problem, query), (image) => {
      const response = image === undefined
        ? problemResponse(problem, protocol?.formatProblem ?? format)
        : problemImageResponse(problem, { image, request });
      return finish(allowPages(response, corsPolicy(route, state)), state);
    });
  }

  /** Completes every response. */
  function finish(response: Response, state: RequestState): Response | Promise<Response> {
    const { meter, request } = state;
    if (request.method === "HEAD" && response.body !== null) {
      return headResponse(response).then((head) => finish(head, state));
    }
    // Without this, clients would send their next request into a connection that is closing.
    if (draining.hasBegun) response.headers.set("connection", "close");
    meter.answered(response.status, state.since);
    return response;
  }

  const app = new HonoBase<{ Bindings: ConnectionInfo }>({
    router: new RegExpRouter(),
    getPath: pathOf,
  });
  for (const [path, rows] of Map.groupBy(routes, ({ path }) => path)) {
    const allow = rows.flatMap(({ methods }) => methods).join(", ");
    const meter = metrics.requestsFor(path);
    const compiled = rows.map((route) => compile(route, { access, allow, meter }));
    const byMethod = new Map(
      compiled.flatMap((route) => route.methods.map((method) => [method, route])),
    );
    // The first one reports that the path does not support a method.
    const routeFor = (method: string) => byMethod.get(method) ?? compiled[0];
    // Hono takes "/as" for "/as/*" as well.
    if (path.endsWith("/*")) {
      app.all(path.slice(0, -2), ({ req, env }) => handle(undefined, req.raw, env));
    }
    app.all(path, ({ req, env }) => handle(routeFor(req.raw.method), req.raw, env));
  }
  app.notFound(({ req, env }) => handle(undefined, req.raw, env));
  return (request: Request, connection: ConnectionInfo) => app.fetch(request, connection);
}

/**
 * Returns the path of a request, whatever its host is. An empty one, as in
 * `GET http://localhost?x`, means "/" (RFC 9110, section 4.2.3), but Hono fails on it.
 */
function pathOf(request: Request): string {
  return getPath(request) || "/";
}

const NO_QUERY: ParsedQuery = { query: new QueryValues(), error: undefined };

/** A route with what every request for it needs. */
type CompiledRoute = Readonly<ReturnType<typeof compile>>;

function compile(
  route: Route,
  { access, ...facts }: { access: Access; allow: string; meter: RequestMeter },
) {
  const parameters: readonly Parameter[] = [
    ...route.parameters,
    ...credentialParameters(route.access),
  ];
  const documented = new Set(parameters.map(({ name }) => name));
  const repeatable = new Set(
    parameters.filter(({ maxTimes }) => maxTimes !== undefined).map(({ name }) => name),
  );
  const readQuery = route.ignoresQuery === true
    ? () => NO_QUERY
    : ({ url }: Request) => parseQuery(url, documented, repeatable);
  return {
    ...route,
    ...facts,
    readQuery: route.protocol?.readQuery ?? readQuery,
    /** The parameters that refuse some values. */
    choices: route.parameters.filter(({ isStrict }) => isStrict === true),
    /** True if `id` may be given more than once. */
    takesIds: repeatable.has("id"),
    // The key of a link leads visitors elsewhere, and no page reads the response.
    takesKey: route.access !== "anyone" && documented.has(key.name),
    authorize: access.checkOf(route.access),
  };
}

const NO_IDS: readonly CounterId[] = [];

/** A request with what is known of it so far. */
class RequestState {
  /** When the request arrived, in milliseconds since the epoch. */
  readonly since = Date.now();
  id = DEFAULT_ID;
  /** All counters of a request that may name several. */
  ids = NO_IDS;
  isPrefix = false;
  /** `open` until the request is authorized. */
  grant: Grant = "open";

  cors: CorsPolicy | undefined;

  /** `route` is undefined for an unknown path. */
  constructor(
    readonly request: Request,
    readonly connection: ConnectionInfo,
    readonly query: Query<string>,
    readonly meter: RequestMeter,
    readonly route: CompiledRoute | undefined,
    readonly queryError: Problem | undefined,
  ) {}
}

/** Parses a query: the parameters of the endpoint, then the subject. Returns what responds. */
function prepare(route: CompiledRoute, state: RequestState) {
  const { request, query, queryError } = state;
  if (queryError !== undefined) throw queryError;
  checkValues(query, route.choices);
  const run = route.prepare(query, request);
  const { subject, takesIds, protocol } = route;
  if (takesIds) state.ids = query.getAll("id").map(counterId);
  const [first] = state.ids;
  if (subject === "none") {
    state.id = first ?? DEFAULT_ID;
    return run;
  }
  if (request.method === "POST" && protocol === undefined) refuseBody(request);
  state.isPrefix = subject === "prefix" ||
    (subject !== "counter" && query.get("prefix") !== undefined);
  state.id = state.isPrefix ? parsePrefix(query) : first ?? counterId(query.get("id"));
  return run;
}

/** Parses the prefix that a query names, in the form of an id. */
function parsePrefix(query: Query<string>): CounterId {
  const prefix = query.get("prefix");
  if (prefix !== undefined && query.get("id") === undefined) return counterId(keyPrefix(prefix));
  throw new Problem("bad-query", {
    detail: prefix === undefined
      ? "Send the prefix of a group, as in prefix=blog/."
      : "Send id or prefix, not both.",
  });
}

/** Refuses a form or a JSON body, because its id would be ignored and `home` counted. */
function refuseBody({ headers }: Request): void {
  const length = headers.get("content-length");
  if (length === null ? headers.get("transfer-encoding") !== null : Number(length) > 0) {
    throw new Problem("bad-body", { detail: "Send the id in the query, and no body." });
  }
}

const NAME_OR_IPV4 = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?(?::\d{0,5})?$/;
const IPV6 = /^\[[0-9a-fA-F:.]{2,45}\](?::\d{0,5})?$/;

/** The host that Deno puts into a URL if the header is missing, empty or not text. */
const FALLBACK_HOST = /^localhost(?::|$)/;

/**
 * Returns a check that throws "bad-host" if the Host header of a request is not a host. It could
 * rewrite the URL that routing sees, as in `Host: a/hit?id=x#`.
 */
function createHostCheck(): (request: Request) => void {
  /** The scheme, host and slash of the last valid URL, because most requests have the same. */
  let knownOrigin: string | undefined;

  return (request) => {
    const { url } = request;
    if (knownOrigin !== undefined && beginsOnlyWith(knownOrigin, url)) return;
    const host = request.headers.get("host");
    // The request line may have a host of its own.
    if ((host !== null && !isHost(host)) || !URL.canParse(url)) throw new Problem("bad-host");
    if (host === null) return;
    const origin = url.slice(0, url.indexOf("/", url.indexOf("//") + 2) + 1);
    if (origin.endsWith(`//${host}/`) && !FALLBACK_HOST.test(host)) knownOrigin = origin;
  };
}

function isHost(host: string): boolean {
  // Names such as 1.2.3.999 and xn--a have no meaning in a URL.
  return (NAME_OR_IPV4.test(host) || IPV6.test(host)) && URL.canParse(`http://${host}`);
}

/**
 * Reports whether the path follows the origin at once. If a slash or an asterisk comes later, the
 * path may begin there, and the text before it may be part of the header.
 *
 * Without this, every request would read its Host header, for which Deno copies all headers (reads
 * at 0.89 of the speed). If the request line holds a whole URL, its host takes precedence over the
 * header (RFC 9112, section 3.2.2).
 */
function beginsOnlyWith(origin: string, url: string): boolean {
  return url.startsWith(origin) && !url.includes("/", origin.length) &&
    !url.includes("*", origin.length);
}
