import type { Context } from "hono";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import {
  answer,
  type Audience,
  NO_SNIFF,
  problemAnswer,
  problemWithBody,
  type TextKind,
} from "./answer.ts";

/** Who may do what under one path, and in which form it fails. */
export interface Endpoint {
  /** Every method that it answers, as `Allow` lists them; undefined where it takes any. */
  readonly methods: readonly string[] | undefined;
  /** The form of its errors: words, or an image of its own drawing. */
  readonly errors: TextKind | ((url: string) => TextKind) | { draw(problem: Problem): string };
  readonly audience: Audience;
  handle(request: Request): Response | Promise<Response>;
}

/** Loads an endpoint of so many modules that its first request, and not the start, should wait for them. */
export type EndpointLoader = () => Promise<Endpoint>;

type Handler = (c: Context) => Response | Promise<Response>;

/** Turns an endpoint into a Hono handler; what goes wrong anywhere below becomes an answer here and nowhere else. */
export function serve(endpoint: Endpoint | EndpointLoader, log: Log): Handler {
  return typeof endpoint === "function" ? loadFirst(endpoint, log) : handlerOf(endpoint, log);
}

function loadFirst(load: EndpointLoader, log: Log): Handler {
  let handler: Handler = (first) => {
    const loading = load().catch(broken).then((endpoint) => handler = handlerOf(endpoint, log));
    handler = async (c) => (await loading)(c);
    return handler(first);
  };
  return (c) => handler(c);
}

/** Stands for an endpoint that could not be loaded. */
function broken(cause: unknown): Endpoint {
  return {
    methods: undefined,
    errors: "json",
    audience: "own",
    handle() {
      throw cause;
    },
  };
}

function handlerOf(endpoint: Endpoint, log: Log): Handler {
  const { methods, audience, errors, handle } = endpoint;
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
    const response = answerTo(problemOf(error, log), url);
    return method === "HEAD" ? headOf(response) : response;
  }

  function answerTo(problem: Problem, url: string): Response {
    if (typeof errors === "object") {
      return problemWithBody(problem, "svg", audience, errors.draw(problem));
    }
    return problemAnswer(problem, typeof errors === "string" ? errors : errors(url), audience);
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
  log.error("unexpected error", { cause: error, ...stackOf(error) });
  return new Problem("internal", { cause: error });
}

function stackOf(error: unknown): { stack?: string } {
  return error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
}

const NAME_OR_IPV4 = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?(?::(\d{1,5}))?$/;
const IPV6 = /^\[[0-9a-fA-F:.]{2,45}\](?::(\d{1,5}))?$/;

/** How the URLs begin that name the host last found right: most requests name the one that the service is known by. */
let knownBeginning: string | undefined;

/** What Deno puts into a URL where the header is missing, empty or no text. */
const FALLBACK_HOST = /^localhost(?::|$)/;

/** A Host header that is no host can rewrite the URL that routing sees: `Host: a/hit?id=x#`. */
function checkHost(request: Request): void {
  const { url } = request;
  if (knownBeginning !== undefined && beginsOnlyWith(knownBeginning, url)) return;
  const host = request.headers.get("host");
  if (host === null) return;
  const name = NAME_OR_IPV4.exec(host) ?? (URL.canParse(`http://${host}`) ? IPV6.exec(host) : null);
  if (name === null || Number(name[1] ?? 0) > 65535) throw new Problem("bad-host");
  const beginning = url.slice(0, url.indexOf("/", url.indexOf("//") + 2) + 1);
  if (beginning.endsWith(`//${host}/`) && !FALLBACK_HOST.test(host)) {
    knownBeginning = beginning;
  }
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
