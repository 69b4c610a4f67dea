import { headersOf } from "../http/answer.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";

/** `GET /openapi.json`: the description of all endpoints, of this one too. */
export function openapiDocument(endpoints: () => Promise<readonly Endpoint[]>): Endpoint {
  return {
    path: "/openapi.json",
    methods: SHARED_READ,
    summary: "This description",
    parameters: [],
    admits: "anyone",
    audience: "any",
    errors: "json",
    async work() {
      const { describe } = await import("../openapi/document.ts");
      const { keptText } = await import("../http/kept_text.ts");
      const body = JSON.stringify(describe(await endpoints()));
      const answerWith = await keptText(
        body,
        headersOf("json", { cacheControl: "no-cache", audience: "any" }),
      );
      return {
        handle(request) {
          parseQuery(request.url, new Set());
          return answerWith(request);
        },
      };
    },
  };
}
