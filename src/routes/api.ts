import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, endpoint, type RoutedEndpoint } from "../http/endpoint.ts";
import { loadOnce } from "../load_once.ts";
import { describe } from "../openapi/document.ts";
import css from "../page/page.css" with { type: "text" };
import { composeReference } from "../page/reference.ts";
import own from "../page/reference.css" with { type: "text" };

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
    summary: "Tell people of every endpoint",
    parameters: [],
    errors: "json",
    find: load,
    answer: ({ html, headers }) => answer(html, headers),
    preload: load,
    describe: ({ bodies, service }) => service("Reference", { content: bodies.html }),
  });
}
