import { errorBadge } from "../badge/drawings.ts";
import { allowsPublicHits } from "../hits/serve_as.ts";
import type { CompatAddress, CompatRequest, Numbers, Picture } from "./address.ts";
import { COMPAT_SERVICES } from "./services.ts";
import { type CounterId, counterId } from "../domain/counter_id.ts";
import { allowPages } from "../http/cors.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { MAX_QUERY_LENGTH, QueryValues } from "../http/query.ts";
import {
  createResponse,
  headersFor,
  problemImageResponse,
  problemResponse,
  readProblem,
  UNCACHED_IMAGE,
} from "../http/response.ts";
import { Problem, problemOf } from "../problem.ts";
import type { Service } from "../routes/service.ts";

const SERVICES = new Map(Object.entries(COMPAT_SERVICES));

/** A request for an endpoint of this service. */
interface Target extends Pick<Picture, "counter"> {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** True if this request was allowed to hit the counter, so that it may read its numbers, too. */
  readonly wasHit?: boolean;
}

/** Has the endpoint respond that counts or reads a counter. */
type CallTarget = (target: Target) => Response | Promise<Response>;

/** `/as/*`: the addresses of other services, each translated to an endpoint of this one. */
export function compat({ access, call, readSmallBody, serveAs }: Service): Endpoint {
  const [checkRead, checkHit] = [access.checkOf("reader"), access.checkOf("keyholder")];
  return endpoint("none", {
    summary: "Serve the addresses of other counters",
    // Other services accept queries that are not percent-encoded.
    ignoresQuery: true,
    setsCors: true,
    async respond({ request, connection }) {
      const url = new URL(request.url);
      if (url.search.length > MAX_QUERY_LENGTH) throw new Problem("query-too-long");
      const { name, path, address } = findAddress(url);
      const { maxBody: limit, isPicture } = address;
      if (request.method === "POST" && limit === undefined) {
        throw new Problem("method-not-allowed", { allow: "GET, HEAD, OPTIONS" });
      }
      const parsed = parseRequest(url, request);
      const [key, token] = [parsed.get("key"), parsed.get("token")];
      const skip = parsed.get("skip") === "1" ? "1" : undefined;
      const idOf = ({ id }: Target["counter"]) => counterId(`${name}/${id}`);
      const isOpen = (id: CounterId) =>
        key === undefined && token === undefined && access.keysAreOn &&
        allowsPublicHits(serveAs, id);
      /** Throws if the request may not hit a counter, or may not read those that its body names. */
      const authorize = (hit: Target["counter"] | undefined) => {
        const query = { get: (name: "key" | "token") => parsed.get(name) };
        const id = hit === undefined ? counterId(name) : idOf(hit);
        (hit === undefined ? checkRead : checkHit)?.({ request, query, id, isPublic: isOpen(id) });
      };
      const callTarget: CallTarget = ({ path, counter, parameters, wasHit = false }) => {
        const id = idOf(counter);
        const values = { ...parameters, id, ...(counter.counts && { key, skip }), token };
        const query = new QueryValues();
        for (const [name, value] of Object.entries(values)) {
          if (value !== undefined) query.set(name, value);
        }
        const isPublic = wasHit || counter.counts && isOpen(id);
        return call(path, { request, connection, query, isPublic });
      };
      try {
        if (limit) authorize(address.hitOf?.(parsed));
        const body = limit ? await readSmallBody({ request, connection }, limit) : "";
        const translation = address.translate(path, { ...parsed, body });
        // An invalid id is found before any hit is counted.
        if ("counters" in translation) translation.counters.forEach(idOf);
        return await ("counter" in translation
          ? callTarget(translation)
          : respondWithNumbers(translation, callTarget));
      } catch (error) {
        const problem = problemOf(error);
        if (problem === undefined || isPicture !== true) throw error;
        const image = errorBadge(problem);
        return allowPages(problemImageResponse(problem, { image, request }), "any");
      }
    },
    // Not in the OpenAPI document, because other services define these addresses.
  });
}

/** Resolves with the numbers of the counters, or with the problem of one of them. */
async function respondWithNumbers(
  { counters, format, body, notFoundIfZero = false }: Numbers,
  callTarget: CallTarget,
): Promise<Response> {
  const targets = counters.map((counter): Target => {
    const { counts, once = false, today = false } = counter;
    return counts
      ? { path: "/hit", counter, parameters: { once: once ? "day" : undefined } }
      : { path: "/count", counter, parameters: { period: today ? "today" : undefined } };
  });
  // One after the other, because a number that is read after a hit has to include it.
  const reads = counters.some(({ counts }) => counts) ? [] : targets.map(callTarget);
  const numbers: number[] = [];
  const flags = new Set<string | null>();
  const hitIds = new Set<string>();
  let hasCounted = false;
  let isShared = true;
  for (const [index, target] of targets.entries()) {
    const { id, counts } = target.counter;
    const response =
      await (reads[index] ?? callTarget({ ...target, wasHit: !counts && hitIds.has(id) }));
    const { ok, headers } = response;
    if (!ok) {
      if (!hasCounted && format !== "svg") return response;
      const problem = await readProblem(response);
      // Most errors promise that nothing was changed, but some counters were.
      throw hasCounted ? partlyCounted(problem) : problem;
    }
    numbers.push((await response.json()).hits);
    const flag = headers.get("x-tallymark");
    if (counts) {
      flags.add(flag);
      hitIds.add(id);
      hasCounted ||= flag === null || flag === "camo";
    }
    isShared = headers.has("access-control-allow-origin");
  }
  if (notFoundIfZero && numbers[0] === 0) {
    const problem = new Problem("not-found", { detail: "Key not found" });
    return allowPages(problemResponse(problem, "json"), isShared ? "any" : "none");
  }
  const [flag] = flags;
  const response = createResponse(body(numbers), {
    ...headersFor(format, counters.length === 0 ? "max-age=86400" : UNCACHED_IMAGE),
    // The request is an ordinary hit if one of its hits is.
    ...(flags.size === 1 && flag && { "x-tallymark": flag }),
  });
  return allowPages(response, isShared ? "any" : "none");
}

/** Returns the problem of a request of which some hits were counted before one failed. */
function partlyCounted({ title }: Problem): Problem {
  const detail = `Only some of the hits were counted (${title}). Retrying may count those twice.`;
  return new Problem("outcome-unknown", { detail });
}

/** Finds the address of a service that a URL has. Throws "not-found" if there is none. */
function findAddress(
  { pathname }: URL,
): { name: string; path: RegExpExecArray; address: CompatAddress } {
  const [, name = "", encoded = ""] = /^\/as\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
  const text = decodePath(encoded);
  for (const address of SERVICES.get(name) ?? []) {
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

/**
 * Parses a request without its body, as leniently as other services do. The first of several values
 * counts.
 */
function parseRequest({ search }: URL, { headers }: Request): CompatRequest {
  const query = new URLSearchParams(search.replaceAll("&amp;", "&"));
  const referer = headers.get("referer");
  return {
    get: (name) => query.get(name) ?? undefined,
    referrer: referer !== null && URL.canParse(referer) ? new URL(referer) : undefined,
    body: "",
  };
}
