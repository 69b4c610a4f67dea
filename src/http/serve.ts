import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import { answer, headOf, NO_SNIFF } from "./answer.ts";
import { audienceOf } from "./audience.ts";
import type { Endpoint, Peer, Work } from "./endpoint.ts";
import { createFailure } from "./failure.ts";
import { isLater, type Later, type Listed, loadOnce } from "./later.ts";
import type { Farewell } from "./farewell.ts";
import type { HostCheck } from "./host.ts";
import type { Metrics } from "../metrics.ts";

/** What all paths share. */
export interface ServeOptions {
  log: Log;
  checkHost: HostCheck;
  leave: Farewell["leave"];
  metrics: Metrics;
}

/** Answers a request. */
export type Handler = (request: Request, peer: Peer) => Response | Promise<Response>;

/** A handler, and a way to load what its first request would have to wait for. */
export interface Served {
  readonly handle: Handler;
  load(): Promise<void>;
}

/** Serves every path of a list. */
export function serve(list: readonly Listed[], options: ServeOptions): Map<string, Served> {
  return new Map(list.map((listed) => [
    listed.path,
    isLater(listed) ? serveLater(listed, options) : servePath([listed], options),
  ]));
}

/** Serves endpoints from their first request on, which has them loaded if nobody did before. */
function serveLater({ path, load: loadEndpoints }: Later, options: ServeOptions): Served {
  const load = loadOnce(async () => {
    const served = servePath(await loadEndpoints(), options);
    await served.load();
    handle = served.handle;
  });
  const refuse = (cause: unknown) =>
    serveEndpoint(unloaded(path, cause), { ...options, allow: "" });
  let handle: Handler = (request, peer) =>
    load().then(() => handle(request, peer), (cause) => refuse(cause).handle(request, peer));
  return { handle: (request, peer) => handle(request, peer), load };
}

/** Stands for endpoints that could not be loaded. */
function unloaded(path: string, cause: unknown): Endpoint {
  return {
    path,
    methods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
    summary: "",
    parameters: [],
    admits: "anyone",
    audience: "none",
    errors: "json",
    work: broken(cause),
  };
}

/** Refuses every request for a path that has no endpoint. */
export function serveNothing({ checkHost, metrics, ...options }: ServeOptions): Handler {
  const endpoint = { errors: "json", admits: "anyone", audience: "none" } as const;
  const fail = createFailure({ endpoint, ...options });
  const meter = metrics.requestsFor("other");
  return (request) => {
    const counted = meter.begin<Response>();
    try {
      checkHost(request);
      throw new Problem("not-found");
    } catch (error) {
      return afterwards(fail(error, request), counted);
    }
  };
}

/** Serves the endpoints of a path, each by its methods. */
function servePath(endpoints: readonly Endpoint[], options: ServeOptions): Served {
  const allow = endpoints.flatMap(({ methods }) => methods).join(", ");
  const served = endpoints.map((endpoint) => serveEndpoint(endpoint, { ...options, allow }));
  const [first, ...others] = served;
  if (first === undefined) throw new TypeError("Serve a path: it has no endpoint");
  if (others.length === 0) return first;
  const byMethod = new Map(
    endpoints.flatMap(({ methods }, index) => methods.map((method) => [method, served[index]])),
  );
  return {
    // A method that no endpoint has is refused by the first.
    handle: (request, peer) => (byMethod.get(request.method) ?? first).handle(request, peer),
    load: async () => {
      await Promise.all(served.map((each) => each.load()));
    },
  };
}

interface EndpointOptions extends ServeOptions {
  /** The methods of all endpoints of the path. */
  allow: string;
}

function serveEndpoint(endpoint: Endpoint, options: EndpointOptions): Served {
  const { work } = endpoint;
  if (typeof work !== "function") {
    return { handle: handlerOf(endpoint, { ...options, work }), load: async () => {} };
  }
  const load = loadOnce(async () => {
    handle = handlerOf(endpoint, { ...options, work: await work() });
  });
  const refuse = (cause: unknown) => handlerOf(endpoint, { ...options, work: broken(cause) });
  let handle: Handler = (request, peer) =>
    load().then(() => handle(request, peer), (cause) => refuse(cause)(request, peer));
  return { handle: (request, peer) => handle(request, peer), load };
}

/** Stands for work that could not be loaded. */
function broken(cause: unknown): Work {
  return {
    handle() {
      throw cause;
    },
  };
}

function handlerOf(
  endpoint: Endpoint,
  { work, log, checkHost, leave, metrics, allow }: EndpointOptions & { work: Work },
): Handler {
  const { methods } = endpoint;
  const meter = metrics.requestsFor(endpoint.path);
  const fail = createFailure({ endpoint, work, log, leave });

  function respond(request: Request, peer: Peer): Response | Promise<Response> {
    checkHost(request);
    const { method } = request;
    if (!methods.includes(method)) throw new Problem("method-not-allowed", { allow });
    if (method === "OPTIONS") return preflight(endpoint, { request, allow });
    const response = work.handle(request, peer);
    return method === "HEAD" ? headOf(response) : response;
  }

  return (request, peer) => {
    const counted = meter.begin<Response>();
    try {
      const response = respond(request, peer);
      return response instanceof Response ? counted(leave(response)) : response.then(
        (response) => counted(leave(response)),
        (error) => afterwards(fail(error, request), counted),
      );
    } catch (error) {
      return afterwards(fail(error, request), counted);
    }
  };
}

function afterwards(
  response: Response | Promise<Response>,
  step: (response: Response) => Response,
): Response | Promise<Response> {
  return response instanceof Response ? step(response) : response.then(step);
}

/** The answer to a CORS preflight (Fetch standard, "CORS-preflight request"). */
function preflight(
  endpoint: Endpoint,
  { request, allow }: { request: Request; allow: string },
): Response {
  if (audienceOf(endpoint, request) !== "any") return answer(null, { allow, ...NO_SNIFF }, 204);
  return answer(null, {
    allow,
    ...NO_SNIFF,
    "access-control-allow-origin": "*",
    "access-control-allow-methods": allow,
    // What a key opens is not for the secret, which a header could show.
    ...(endpoint.admits !== "keyholder" && { "access-control-allow-headers": "*" }),
    "access-control-max-age": "86400",
  }, 204);
}
