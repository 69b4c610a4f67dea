import { type AccessLevel, LEVELS } from "../auth/access.ts";
import { gzip } from "../http/conditional.ts";
import { type Endpoint, endpoint, type Route } from "../http/endpoint.ts";
import { acceptsGzip, asksForPage, createResponse, headersFor } from "../http/response.ts";
import { loadOnce } from "../load_once.ts";
import { bodies, ok, operation } from "../openapi/responses.ts";
import { composePage, factsOf } from "../page/compose.ts";
import type { Service } from "../service.ts";

/** `GET /`: the page for browsers, and a list of the endpoints as plain text for other clients. */
export function welcome(
  routes: () => readonly Route[],
  { readPolicy, publicUrl }: Service,
): Endpoint {
  const textHeaders = {
    ...headersFor("text", "no-cache"),
    "referrer-policy": "no-referrer",
    vary: "Accept",
  };
  const load = loadOnce(async () => {
    const { html, policy } = await composePage(
      factsOf(routes(), readPolicy.isPublic),
      publicUrl,
    );
    const headers = {
      ...headersFor("html", "no-cache"),
      "content-security-policy": policy,
      vary: "Accept, Accept-Encoding",
    };
    return { bytes: new TextEncoder().encode(html), packed: await gzip(html), headers };
  });
  return endpoint("none", {
    summary: "The page with your counters and the badge builder, or this list as text",
    async respond({ request }) {
      if (!asksForPage(request)) return createResponse(listRoutes(routes()), textHeaders);
      const { bytes, packed, headers } = await load();
      if (!acceptsGzip(request)) return createResponse(bytes, headers);
      return createResponse(packed, { ...headers, "content-encoding": "gzip" });
    },
    openapi: operation("Service", "Index", ok({ ...bodies.text, ...bodies.html })),
  });
}

function listRoutes(routes: readonly Route[]): string {
  const shown = ({ methods }: Route) =>
    methods.filter((method) => method !== "HEAD" && method !== "OPTIONS").join(", ");
  const width = Math.max(...routes.map((route) => shown(route).length));
  const longest = Math.max(...routes.map(({ path }) => path.length));
  const lines = routes.map((route) => {
    const { path, summary, access } = route;
    const beginning = `  ${shown(route).padEnd(width)}  ${path.padEnd(longest)}`;
    return `${beginning}  ${summary}${requirementOf(access)}`;
  });
  return `Tallymark: hit counters and badges\n\n${lines.join("\n")}\n`;
}

/** Returns the credentials that an endpoint requires, as the list shows them. */
function requirementOf(access: AccessLevel): string {
  const { opensWith, orWith } = LEVELS[access];
  if (opensWith.includes("none")) return "";
  return ` (with the secret${orWith === undefined ? "" : ` or ${orWith}`})`;
}
