import { errorBadge } from "../badge/badge.ts";
import { allowsPublicHits } from "../compat/serve_as.ts";
import type {
  CompatAddress,
  CompatRequest,
  CounterRef,
  Numbers,
  Parameters,
} from "../compat/service.ts";
import { COMPAT_SERVICES } from "../compat/services.ts";
import { counterId } from "../counter/counter_id.ts";
import { bodyText } from "../http/body.ts";
import { type ConnectionInfo, type Endpoint, endpoint } from "../http/endpoint.ts";
import { MAX_QUERY_LENGTH } from "../http/query.ts";
import {
  allowPages,
  createResponse,
  headersFor,
  problemImageResponse,
  UNCACHED_IMAGE,
} from "../http/response.ts";
import { Problem } from "../problem.ts";
import type { Service } from "./service.ts";

const SERVICES = new Map(Object.entries(COMPAT_SERVICES));
const SCRIPT = headersFor("script", "max-age=86400");

/** A request to another service. */
interface IncomingRequest {
  readonly request: Request;
  readonly connection: ConnectionInfo;
  /** The name of the service. */
  readonly name: string;
  readonly parsed: CompatRequest;
}

/** A request for an endpoint of this service. */
interface TargetRequest {
  readonly path: string;
  readonly counter: CounterRef;
  readonly parameters: Parameters;
}

/** `/as/*`: the addresses of other services, each translated to an endpoint of this one. */
export function compat({ access, call, draining, serveAs }: Service): Endpoint {
  /** Has the endpoint respond that counts or reads a counter. */
  function callTarget(
    { path, counter, parameters }: TargetRequest,
    { request, connection, name, parsed }: IncomingRequest,
  ): Response | Promise<Response> {
    const id = counterId(`${name}/${counter.id}`);
    const [key, token] = [parsed.get("key"), parsed.get("token")];
    const values = { ...parameters, id, key: counter.counts ? key : undefined, token };
    const query = new Map<string, string>();
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined) query.set(name, value);
    }
    const isPublic = counter.counts && key === undefined && token === undefined &&
      access.keysAreOn && allowsPublicHits(serveAs, id);
    return call(path, { request, connection, query, isPublic });
  }

  async function respondWithNumbers(
    { counters, format, body, notFoundIfZero }: Numbers,
    incoming: IncomingRequest,
  ): Promise<Response> {
    const isHead = incoming.request.method === "HEAD";
    const refs = counters.map((ref) => ({ ...ref, counts: ref.counts && !isHead }));
    const numbers: number[] = [];
    const flags = new Set<string | null>();
    let last: Response | undefined;
    const callFor = (counter: CounterRef) => {
      const parameters = {
        once: counter.counts && counter.once ? "day" : undefined,
        period: counter.today ? "today" : undefined,
      };
      const path = counter.counts ? "/hit" : "/count";
      return callTarget({ path, counter, parameters }, incoming);
    };
    // One after the other, because a number that is read after a hit has to include it.
    const reads = refs.some(({ counts }) => counts) ? [] : refs.map(callFor);
    for (const [index, ref] of refs.entries()) {
      last = await (reads[index] ?? callFor(ref));
      if (!last.ok) {
        // A 503 promises that nothing was changed, but some counters were.
        if (last.status === 503 && flags.has(null)) throw new Problem("outcome-unknown", PARTLY);
        return last;
      }
      numbers.push((await last.json()).hits);
      if (ref.counts) flags.add(last.headers.get("x-tallymark"));
    }
    if (notFoundIfZero && numbers[0] === 0) {
      throw new Problem("not-found", { detail: "Key not found" });
    }
    const [flag] = flags;
    const response = createResponse(body(numbers), {
      ...headersFor(format, UNCACHED_IMAGE),
      // The request is an ordinary hit if one of its hits is.
      ...(flags.size === 1 && flag && { "x-tallymark": flag }),
    });
    const isShared = last?.headers.has("access-control-allow-origin") ?? true;
    return allowPages(response, isShared ? "any" : "none");
  }

  return endpoint("none", {
    summary: "Serve the addresses of other counters",
    // Other services accept queries that are not percent-encoded.
    ignoresQuery: true,
    setsCors: true,
    async respond({ request, connection }) {
      const url = new URL(request.url);
      if (url.search.length > MAX_QUERY_LENGTH) throw new Problem("query-too-long");
      const { name, path, address } = findAddress(url);
      if (request.method === "POST" && address.post !== true) {
        throw new Problem("method-not-allowed", { allow: "GET, HEAD, OPTIONS" });
      }
      const { bodyLimit: limit } = address;
      const body = limit === undefined ? "" : await bodyText(request, { limit, draining });
      const parsed = { ...parseRequest(url, request.headers), body };
      const incoming = { request, connection, name, parsed };
      try {
        const translation = address.translate(path, incoming.parsed);
        switch (translation.kind) {
          case "text":
            return allowPages(createResponse(translation.body, SCRIPT), "any");
          case "numbers":
            return await respondWithNumbers(translation, incoming);
          case "chart": {
            const { id, parameters } = translation;
            const counter = { id, counts: false };
            return await callTarget({ path: "/chart.svg", counter, parameters }, incoming);
          }
          case "image": {
            const { counter, look, withToday } = translation;
            const path = counter.counts ? "/hit.svg" : "/badge";
            const parameters = { ...look, show: withToday ? "today/total" : undefined };
            return await callTarget({ path, counter, parameters }, incoming);
          }
        }
      } catch (problem) {
        if (!(problem instanceof Problem) || address.isPicture !== true) throw problem;
        const image = errorBadge(problem);
        return allowPages(problemImageResponse(problem, { image, request }), "any");
      }
    },
    // Not in the OpenAPI document, because other services define these addresses.
  });
}

const PARTLY = {
  detail: "Some of these counters were counted, the others were not: sending it again may count " +
    "those twice.",
};

/** Finds the address of a service that a URL has. Throws "not-found" if there is none. */
function findAddress(
  { pathname }: URL,
): { name: string; path: RegExpExecArray; address: CompatAddress } {
  const [, name = "", encoded = ""] = /^\/as\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
  const text = decodePath(encoded);
  for (const address of SERVICES.get(name)?.addresses ?? []) {
    const path = address.path.exec(text);
    if (path !== null) return { name, path, address };
  }
  throw new Problem("not-found");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw new Problem("bad-query", { detail: "The path must be percent-encoded UTF-8.", cause });
  }
}

/** Parses a request as leniently as other services do. The first of several values counts. */
function parseRequest({ search }: URL, headers: Headers): Omit<CompatRequest, "body"> {
  const query = new URLSearchParams(search.replaceAll("&amp;", "&"));
  const referer = headers.get("referer");
  return {
    get: (name) => query.get(name) ?? undefined,
    referrer: referer !== null && URL.canParse(referer) ? new URL(referer) : undefined,
  };
}
