import { headersOf } from "../http/answer.ts";
import { keptText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { loadOnce } from "../load_once.ts";
import script from "../page/tally.js" with { type: "text" };

/** `GET /tally.js`: the elements with which any page counts its views and shows them. */
export function tally(): Endpoint {
  const headers = headersOf("script", { cacheControl: "max-age=86400", cors: "any" });
  const load = loadOnce(() => keptText(script, headers));
  return endpoint({
    summary: "The elements that count a page's views and show them",
    parameters: [],
    errors: "text",
    find: load,
    answer: (answerWith, { request }) => answerWith(request),
    preload: load,
    describe: ({ bodies, cacheControl, IF_NONE_MATCH }) => {
      const headers = {
        ...cacheControl({ const: "max-age=86400" }),
        ETag: { required: true, schema: { type: "string" } },
      };
      return {
        name: "Tally",
        tags: ["Counters"],
        description: "For pages of any site: defines the elements `tally-mark`, whose attribute " +
          "`counter` is an id and `key` its counter key, and `tally-top`. A view is counted when " +
          "somebody sees it.",
        headers: [IF_NONE_MATCH],
        answers: {
          200: { description: "The script, classic or a module.", headers, content: bodies.script },
          304: { description: "The caller's copy is still right.", headers },
        },
      };
    },
  });
}
