import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, SHARED_READ } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";

/** `GET /tally.js`: the element with which any page counts its views and shows them. */
export function tally(): Endpoint {
  return {
    path: "/tally.js",
    methods: SHARED_READ,
    summary: "The element that counts a page's views and shows them",
    parameters: [],
    admits: "anyone",
    audience: "any",
    errors: "text",
    async work() {
      const { default: script } = await import("../page/tally.js", { with: { type: "text" } });
      const body = compact(script);
      const headers = headersOf("script", { cacheControl: "max-age=86400", audience: "any" });
      return {
        handle(request) {
          parseQuery(request.url, new Set());
          return answer(body, headers);
        },
      };
    },
  };
}

/** The same without comments and the space that only people need: pages everywhere load it. */
function compact(script: string): string {
  return script
    .replaceAll(/(?:^| )\/\/ .*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([=?:;,{}()<>&|!]+) ?/g, "$1")
    .replaceAll(/[;,]+(?=[})])/g, "")
    .trim();
}
