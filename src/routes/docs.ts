import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint, type Route } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { loadOnce } from "../load_once.ts";
import { bodies, fixedText, IF_NONE_MATCH } from "../openapi/responses.ts";

/** `GET /api`: the reference for people, from the same records as `/openapi.json`. */
export function reference(routes: () => readonly Route[]): Endpoint {
  const load = loadOnce(async () => {
    const [{ describeRoutes }, { composeReference }] = await Promise.all([
      import("../openapi/document.ts"),
      import("../page/reference.ts"),
    ]);
    const { html, policy } = await composeReference(describeRoutes(routes()));
    const headers = { ...headersFor("html", "no-cache"), "content-security-policy": policy };
    return await cachedText(html, headers);
  });
  return endpoint("none", {
    summary: "Show this reference as a page",
    respond: async ({ request }) => (await load())(request),
    openapi: {
      name: "Reference",
      tags: ["Service"],
      headers: [IF_NONE_MATCH],
      responses: fixedText("This reference.", bodies.html, "no-cache"),
    },
  });
}

/** `GET /openapi.json`: the description of all endpoints, this one included. */
export function openapiDocument(routes: () => readonly Route[]): Endpoint {
  const load = loadOnce(async () => {
    const { describeRoutes } = await import("../openapi/document.ts");
    const text = JSON.stringify(describeRoutes(routes()));
    return await cachedText(text, headersFor("json", "no-cache"));
  });
  return endpoint("none", {
    summary: "Get this reference as OpenAPI 3.1",
    respond: async ({ request }) => (await load())(request),
    openapi: {
      name: "OpenApi",
      tags: ["Service"],
      headers: [IF_NONE_MATCH],
      responses: fixedText("The OpenAPI document.", bodies.document, "no-cache"),
    },
  });
}
