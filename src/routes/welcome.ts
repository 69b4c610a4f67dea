import { LEVELS } from "../auth/access.ts";
import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint, type Route } from "../http/endpoint.ts";
import { asksForPage } from "../http/negotiation.ts";
import { headersFor } from "../http/response.ts";
import { bodies, operation, revalidated } from "../openapi/responses.ts";
import { composePage, factsOf } from "../page/compose.ts";
import type { Service } from "../service.ts";

/** `GET /`: the page for browsers, and a list of the endpoints as plain text for other clients. */
export function welcome(
  routes: () => readonly Route[],
  { readPolicy, publicUrl }: Service,
): Endpoint {
  const list = cachedText(() => {
    const headers = { ...headersFor("text", "no-cache"), "referrer-policy": "no-referrer" };
    return { text: listRoutes(routes()), headers: { ...headers, vary: "Accept" } };
  });
  const page = cachedText(async () => {
    const { html, policy } = await composePage(factsOf(routes(), readPolicy.isPublic), publicUrl);
    const headers = { ...headersFor("html", "no-cache"), "content-security-policy": policy };
    return { text: html, headers: { ...headers, vary: "Accept" } };
  });
  return endpoint("none", {
    summary: "The page with your counters and the badge builder, or this list as text",
    respond: (context) => asksForPage(context.request) ? page(context) : list(context),
    openapi: operation(
      "Service",
      "Index",
      revalidated("The page or the list.", { ...bodies.text, ...bodies.html }),
    ),
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
    const isOpen = LEVELS[access].opensWith.includes("none");
    return `${beginning}  ${summary}${isOpen ? "" : " (with the secret or a key)"}`;
  });
  return `Tallymark: hit counters and badges\n\n${lines.join("\n")}\n`;
}
