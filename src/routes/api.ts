import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, READ } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";

/** `GET /api`: every endpoint for people, from the same records as the description for machines. */
export function reference(endpoints: () => Promise<readonly Endpoint[]>): Endpoint {
  return {
    path: "/api",
    methods: READ,
    summary: "Tell people of every endpoint",
    parameters: [],
    admits: "anyone",
    audience: "none",
    errors: "json",
    async work() {
      const { describe } = await import("../openapi/document.ts");
      const { composeReference } = await import("../page/reference.ts");
      const { default: css } = await import("../page/page.css", { with: { type: "text" } });
      const { html, policy } = await composeReference(describe(await endpoints()), css);
      const headers = {
        ...headersOf("html", { cacheControl: "no-cache", audience: "none" }),
        "content-security-policy": policy,
      };
      return {
        handle(request) {
          parseQuery(request.url, new Set());
          return answer(html, headers);
        },
      };
    },
  };
}
