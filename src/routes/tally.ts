import { answer, headersOf } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import script from "../page/tally.js" with { type: "text" };

/** `GET /tally.js`: the element with which any page counts its views and shows them. */
export function tally(): Endpoint {
  const body = compact(script);
  const headers = headersOf("script", { cacheControl: "max-age=86400", cors: "any" });
  return endpoint({
    summary: "The element that counts a page's views and shows them",
    parameters: [],
    errors: "text",
    answer: () => answer(body, headers),
    describe: ({ bodies, cacheControl }) => ({
      name: "Tally",
      tags: ["Counters"],
      description: "For pages of any site: defines the element `tally-mark`, whose attribute " +
        "`counter` is an id and `key` its counter key. A view is counted when somebody sees it.",
      answers: {
        200: {
          description: "The script, classic or a module.",
          headers: cacheControl({ const: "max-age=86400" }),
          content: bodies.script,
        },
      },
    }),
  });
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
