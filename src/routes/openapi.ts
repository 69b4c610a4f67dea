import { headersOf } from "../http/answer.ts";
import { keptText } from "../http/conditional.ts";
import { type Endpoint, endpoint, type RoutedEndpoint } from "../http/endpoint.ts";
import { loadOnce } from "../load_once.ts";
import { describe } from "../openapi/document.ts";

/** `GET /openapi.json`: the description of all endpoints, of this one too. */
export function openapiDocument(endpoints: () => Promise<readonly RoutedEndpoint[]>): Endpoint {
  const headers = headersOf("json", { cacheControl: "no-cache", cors: "any" });
  const load = loadOnce(async () => keptText(JSON.stringify(describe(await endpoints())), headers));
  return endpoint({
    summary: "This description",
    parameters: [],
    errors: "json",
    find: load,
    answer: (answerTo, { request }) => answerTo(request),
    preload: load,
    describe: ({ bodies, cacheControl, IF_NONE_MATCH }) => {
      const headers = {
        ...cacheControl({ const: "no-cache" }),
        ETag: { required: true, schema: { type: "string" } },
      };
      return {
        name: "OpenApi",
        tags: ["Service"],
        headers: [IF_NONE_MATCH],
        answers: {
          200: { description: "This description.", headers, content: bodies.document },
          304: { description: "The caller's copy is still right.", headers },
        },
      };
    },
  });
}
