import type { Context } from "hono";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import { answer, type Audience, type Kind, NO_SNIFF, problemAnswer } from "./answer.ts";

/** Who may do what under one path, and in which form it fails. */
export interface Endpoint {
  /** Every method that it answers, as `Allow` lists them; undefined where it takes any. */
  readonly methods: readonly string[] | undefined;
  /** The form of its errors. */
  readonly kind: Kind | ((url: string) => Kind);
  readonly audience: Audience;
  handle(request: Request): Response | Promise<Response>;
}

/** Loads an endpoint whose modules are so many that a start does without them. */
export type EndpointLoader = () => Promise<Endpoint>;

type Handler = (c: Context) => Response | Promise<Response>;

/** Turns an endpoint into a Hono handler; one that is still to be loaded is loaded by its first request. */
export function serve(endpoint: Endpoint | EndpointLoader, log: Log): Handler {
  if (typeof endpoint !== "function") return handlerOf(endpoint, log);
  let handler: Handler | undefined;
  return (c) => handler?.(c) ?? endpoint().then((loaded) => (handler = handlerOf(loaded, log))(c));
}

/** What goes wrong anywhere below becomes an answer here and nowhere else. */
function handlerOf(endpoint: Endpoint, log: Log): Handler {
  const { methods, audience, handle } = endpoint;
  const allow = methods?.join(", ") ?? "";

  function respond(request: Request): Response | Promise<Response> {
    checkHost(request);
    const { method } = request;
    if (methods?.includes(method) === false) throw new Problem("method-not-allowed", { allow });
    if (methods && method === "OPTIONS") return preflight(allow, audience);
    const response = handle(request);
    return method === "HEAD" ? headOf(response) : response;
  }

  function fail(error: unknown, { url, method }: Request): Response | Promise<Response> {
    const kind = typeof endpoint.kind === "string" ? endpoint.kind : endpoint.kind(url);
    const response = problemAnswer(problemOf(error, log), kind, audience);
    return method === "HEAD" ? headOf(response) : response;
  }

  return (c) => {
    const request = c.req.raw;
    try {
      const response = respond(request);
      return response instanceof Response
        ? response
        : response.catch((error) => fail(error, request));
    } catch (error) {
      return fail(error, request);
    }
  };
}

/** The answer to HEAD: with the length that GET would tell (RFC 9110, section 8.6), and not that of the body left out. */
async function headOf(answered: Response | Promise<Response>): Promise<Response> {
  const response = await answered;
  const { status, body } = response;
  const headers = new Headers(response.headers);
  const { byteLength } = await response.arrayBuffer();
  if (body !== null) headers.set("content-length", String(byteLength));
  return new Response(null, { status, headers });
}

/** A problem as it is; anything else is unexpected, and only the log gets to know what it was. */
function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  log.error("unexpected error", {
    cause: error instanceof Error ? error : String(error),
    ...stackOf(error),
  });
  return new Problem("internal", { cause: error });
}

function stackOf(error: unknown): { stack?: string } {
  return error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
}

const NAME_OR_IPV4 = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?(?::(\d{1,5}))?$/;
const IPV6 = /^\[[0-9a-fA-F:.]{2,45}\](?::(\d{1,5}))?$/;

/** A Host header that is no host can rewrite the URL that routing sees: `Host: a/hit?id=x#`. */
function checkHost(request: Request): void {
  const host = request.headers.get("host");
  if (host === null) return;
  const name = NAME_OR_IPV4.exec(host) ?? (URL.canParse(`http://${host}`) ? IPV6.exec(host) : null);
  if (name === null || Number(name[1] ?? 0) > 65535) throw new Problem("bad-host");
}

/** The answer to a CORS preflight (Fetch standard, "CORS-preflight request"). */
function preflight(allow: string, audience: Audience): Response {
  if (audience !== "any") return answer(null, { allow, ...NO_SNIFF }, 204);
  return answer(null, {
    allow,
    ...NO_SNIFF,
    "access-control-allow-origin": "*",
    "access-control-allow-methods": allow,
    "access-control-allow-headers": "*",
    "access-control-max-age": "86400",
  }, 204);
}
