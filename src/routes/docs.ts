import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint, type Route } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { describeRoutes } from "../openapi/document.ts";
import { bodies, operation, revalidated } from "../openapi/responses.ts";
import { composeReference } from "../page/reference.ts";
import type { Service } from "../service.ts";

const REFERENCE = revalidated("This reference.", bodies.html);
const JSON_OBJECT = { "application/json": { schema: { type: "object" } } };
const DOCUMENT = revalidated("The OpenAPI document.", JSON_OBJECT);

/** `GET /api`: the reference for people, from the same records as `/openapi.json`. */
export function reference(
  routes: () => readonly Route[],
  { publicUrl }: Service,
): Endpoint {
  return endpoint("none", {
    summary: "Show this reference as a page",
    respond: cachedText(async () => {
      const { html, policy } = await composeReference(describeRoutes(routes()), publicUrl);
      const headers = { ...headersFor("html", "no-cache"), "content-security-policy": policy };
      return { text: html, headers };
    }),
    openapi: operation("Service", "Reference", REFERENCE),
  });
}

/** `GET /openapi.json`: the description of all endpoints, this one included. */
export function openapiDocument(routes: () => readonly Route[]): Endpoint {
  return endpoint("none", {
    summary: "Get this reference as OpenAPI 3.1",
    respond: cachedText(() => {
      const text = JSON.stringify(describeRoutes(routes()));
      return { text, headers: headersFor("json", "no-cache") };
    }),
    openapi: operation("Service", "OpenApi", DOCUMENT),
  });
}
