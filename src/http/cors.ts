import type { CorsPolicy, RequestContext, Route } from "./endpoint.ts";
import { createResponse, FLAG, isFlagged, NO_SNIFF } from "./response.ts";

/** A route as far as it decides which pages may read its responses. */
interface CorsRoute extends Pick<Route, "cors" | "protocol"> {
  /** The methods of all routes of the path, as in `Allow`. */
  readonly allow: string;
  /** True if `key` is one of its parameters. */
  readonly takesKey: boolean;
}

/**
 * Returns the pages that may read the response. A page that has a key may read what the key
 * authorizes, unless it sends the secret, too.
 */
export function corsPolicy(
  { cors, takesKey }: Pick<CorsRoute, "cors" | "takesKey">,
  state: Omit<RequestContext, "connection">,
): CorsPolicy {
  if (state.cors !== undefined) return state.cors;
  if (cors === "any" || !takesKey) return cors;
  const { grant, query, request: { headers } } = state;
  if (grant !== "open") return grant === "secret" ? cors : "any";
  if (query.get("key") === undefined) return cors;
  const hasSecret = query.get("token") !== undefined || headers.has("x-auth-token") ||
    headers.has("authorization");
  return hasSecret ? cors : "any";
}

/** Sets the headers that let pages read a response. */
export function allowPages(response: Response, cors: CorsPolicy): Response {
  if (cors === "none") return response;
  const { headers } = response;
  headers.set("cross-origin-resource-policy", "cross-origin");
  if (cors === "image") return response;
  headers.set("access-control-allow-origin", "*");
  if (isFlagged(response)) headers.set("access-control-expose-headers", FLAG);
  return response;
}

/** Creates the response to a CORS preflight (Fetch standard, "CORS-preflight request"). */
export function preflightResponse(route: CorsRoute, state: RequestContext): Response {
  const { allow, cors, protocol } = route;
  const forPages = protocol?.preflight ?? (corsPolicy(route, state) === "any" && {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": allow,
    // Next to a key, a header could show the secret, whose responses no page may read.
    ...(cors === "any" && { "access-control-allow-headers": "*" }),
    "access-control-max-age": "86400",
  });
  return createResponse(null, { allow, ...NO_SNIFF, ...forPages }, 204);
}
