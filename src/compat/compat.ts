import type { Grant } from "../auth/access.ts";
import { errorBadge } from "../badge/drawings.ts";
import { counterId } from "../domain/counter_id.ts";
import { parseIdempotencyKey } from "../hits/hit_policy.ts";
import { allowsPublicHits } from "../hits/serve_as.ts";
import { corsPolicy } from "../http/cors.ts";
import { type Endpoint, endpoint, type Route } from "../http/endpoint.ts";
import { MAX_QUERY_LENGTH, percentDecoded, QueryValues } from "../http/query.ts";
import { problemImageResponse } from "../http/problem_page.ts";
import {
  createResponse,
  flagHeader,
  headersFor,
  type HitFlag,
  UNCACHED_IMAGE,
} from "../http/response.ts";
import { Problem } from "../problem.ts";
import { readPeriod } from "../read_counter.ts";
import type { Service } from "../service.ts";
import type { CompatAddress, CompatRequest, Numbers, Use } from "./address.ts";
import { COMPAT_SERVICES } from "./services.ts";

const SERVICES = new Map(Object.entries(COMPAT_SERVICES));

/** Any counter of a service, which the body of a request may name. */
const ANY: Use = { path: "/count", id: "" };

/** `/as/*`: the addresses of other services, which use routes of this one. */
export function compat(service: Service, routes: () => readonly Route[]): Endpoint {
  const { access, counters, countHit, networkOf, readSmallBody, recentHits, serveAs, toProblem } =
    service;
  return endpoint("none", {
    summary: "Serve the addresses of other counters",
    // Other services accept queries that are not percent-encoded.
    ignoresQuery: true,
    async respond(context) {
      const { request } = context;
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
      const isOpen = key === undefined && token === undefined && access.keysAreOn;
      const idOf = ({ id }: Use) => counterId(`${name}/${id}`);
      /** The counters that this request has hit, and the flag of each hit. */
      const hits: { readonly id: string; readonly flag: HitFlag | undefined }[] = [];
      /** The route that reports a problem. */
      let route: Partial<Route> = isPicture === true ? { drawProblem: errorBadge } : {};
      let query = new QueryValues();

      /** Authorizes a use. A counter that was hit may be read, too. */
      function contextOf(use: Use) {
        const id = idOf(use);
        const used = routes().find(({ path }) => path === use.path);
        if (used === undefined) throw new TypeError(`No route for ${use.path}`);
        const counts = used.access === "keyholder";
        const given = Object.entries({
          ...use.parameters,
          id,
          ...(counts && { key, skip }),
          token,
        });
        query = new QueryValues(
          given.filter((pair): pair is [string, string] => pair[1] !== undefined),
        );
        route = used;
        const isPublic = counts
          ? isOpen && allowsPublicHits(serveAs, id)
          : hits.some((hit) => hit.id === id);
        let grant: Grant = "open";
        try {
          grant = access.checkOf(used.access)?.({ request, query, id, isPublic }) ?? grant;
        } finally {
          context.cors = corsPolicy({ ...used, takesKey: true }, { request, query, grant });
        }
        return {
          ...context,
          id,
          isPrefix: false,
          query,
          grant,
          draw: used.prepare(query, request),
        };
      }

      async function numberOf(use: Use): Promise<number> {
        const one = contextOf(use);
        if (use.path === "/count") return await readPeriod(counters, one);
        const result = await countHit(one, parseIdempotencyKey(one));
        const { hits: number, flag } = recentHits.record(one, result);
        hits.push({ id: one.id, flag });
        return number;
      }

      async function numbersOf(uses: readonly Use[]): Promise<number[]> {
        // An invalid id is found before any hit is counted.
        uses.forEach(idOf);
        // In the same turn of the event loop, so that the store gets all reads in one batch.
        if (uses.every(({ path }) => path === "/count")) {
          return await Promise.all(uses.map(numberOf));
        }
        const numbers: number[] = [];
        // One after the other, because a number that is read after a hit has to include it.
        for (const use of uses) numbers.push(await numberOf(use));
        return numbers;
      }

      try {
        if (limit) contextOf(address.useOf?.(parsed) ?? ANY);
        const body = limit ? await readSmallBody(request, limit, networkOf(context)) : "";
        const translation = address.translate(path, { ...parsed, body });
        if ("uses" in translation) {
          const numbers = await numbersOf(translation.uses);
          return respond(translation, numbers, hits.map(({ flag }) => flag));
        }
        const image = contextOf(translation);
        return await image.draw(image);
      } catch (error) {
        const found = toProblem(error);
        route.onProblem?.(found, query);
        const hasCounted = hits.some(({ flag }) => flag === undefined || flag === "camo");
        // Most errors promise that nothing was changed, but some counters were.
        const problem = hasCounted ? partlyCounted(found) : found;
        const image = await route.drawProblem?.(problem, query);
        if (image === undefined) throw problem;
        return problemImageResponse(problem, { image, request });
      }
    },
    // Not in the OpenAPI document, because other services define these addresses.
  });
}

/** Responds with numbers in the format of a service. */
function respond(
  { uses, format, body, notFoundIfZero }: Numbers,
  numbers: readonly number[],
  [flag, ...others]: readonly (HitFlag | undefined)[],
): Response {
  if (notFoundIfZero === true && numbers[0] === 0) {
    throw new Problem("not-found", { detail: "Key not found" });
  }
  // The request is an ordinary hit if one of its hits is.
  const isFlagged = flag !== undefined && others.every((other) => other === flag);
  return createResponse(body(numbers), {
    ...headersFor(format, uses.length === 0 ? "max-age=86400" : UNCACHED_IMAGE),
    ...(isFlagged && flagHeader(flag)),
  });
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
  const text = percentDecoded(encoded);
  if (text === undefined) {
    throw new Problem("bad-query", { detail: "The path must be percent-encoded UTF-8." });
  }
  for (const address of SERVICES.get(name) ?? []) {
    const path = address.path.exec(text);
    if (path !== null) return { name, path, address };
  }
  throw new Problem("not-found");
}

/**
 * Parses a request without its body, as leniently as other services do. The first of several values
 * counts.
 */
function parseRequest({ search }: URL, { headers }: Request): CompatRequest {
  const query = new URLSearchParams(search.replaceAll("&amp;", "&"));
  return {
    get: (name) => query.get(name) ?? undefined,
    referrer: URL.parse(headers.get("referer") ?? "") ?? undefined,
    body: "",
  };
}
