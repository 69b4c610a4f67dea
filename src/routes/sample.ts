import { LOOKS } from "../badge/parameters.ts";
import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, READ } from "../http/endpoint.ts";
import { parseQuery } from "../http/query.ts";

/** `GET /sample/badge`: a badge of 12,345, which shows a design also where no counter may be seen. */
export function sampleBadge(): Endpoint {
  return {
    path: "/sample/badge",
    methods: READ,
    summary: "Show a badge of 12,345, which is no counter's",
    parameters: LOOKS,
    admits: "anyone",
    audience: "none",
    errors: "svg",
    async work() {
      const { createDrawings, errorBadge } = await import("../badge/drawings.ts");
      const draw = createDrawings(({ svg }) => svg);
      const documented: ReadonlySet<string> = new Set(LOOKS.map(({ name }) => name));
      const headers = headersOf("svg", { cacheControl: "max-age=3600", audience: "none" });
      return {
        handle(request) {
          return answer(draw(parseQuery(request.url, documented), 12_345), headers);
        },
        draw: ({ badge }) => errorBadge(badge),
      };
    },
  };
}
