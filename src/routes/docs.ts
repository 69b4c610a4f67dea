import { answer, headersOf } from "../http/answer.ts";
import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint, type RoutedEndpoint } from "../http/endpoint.ts";
import { loadOnce } from "../load_once.ts";
import { describe } from "../openapi/document.ts";
import css from "../page/page.css" with { type: "text" };
import own from "../page/reference.css" with { type: "text" };
import { composeReference } from "../page/reference.ts";

/** `GET /api`: every endpoint for people, from the same records as the description for machines. */
export function reference(endpoints: () => Promise<readonly RoutedEndpoint[]>): Endpoint {
  const load = loadOnce(async () => {
    const { html, policy } = await composeReference(describe(await endpoints()), css + own);
    const headers = {
      ...headersOf("html", { cacheControl: "no-cache", cors: "none" }),
      "content-security-policy": policy,
    };
    return { html, headers };
  });
  return endpoint({
    summary: "Show this reference as a page",
    parameters: [],
    errors: "json",
    find: load,
    answer: ({ html, headers }) => answer(html, headers),
    preload: load,
    describe: ({ bodies, service }) => service("Reference", { content: bodies.html }),
  });
}

/** `GET /openapi.json`: the description of all endpoints, of this one too. */
export function openapiDocument(endpoints: () => Promise<readonly RoutedEndpoint[]>): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-cache", cors: "any" });
  const load = loadOnce(async () =>
    cachedText(JSON.stringify(describe(await endpoints())), headers)
  );
  return endpoint({
    summary: "Get this reference as OpenAPI 3.1",
    parameters: [],
    errors: "json",
    find: load,
    answer: (answerTo, { request }) => answerTo(request),
    preload: load,
    describe: ({ bodies, cachedText, IF_NONE_MATCH }) => ({
      name: "OpenApi",
      tags: ["Service"],
      headers: [IF_NONE_MATCH],
      answers: cachedText("The OpenAPI document.", bodies.document, "no-cache"),
    }),
  });
}
