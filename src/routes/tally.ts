import { headersOf } from "../http/answer.ts";
import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { loadOnce } from "../load_once.ts";
import script from "../page/tally.js" with { type: "text" };

/** `GET /tally.js`: the elements with which any page counts its views and shows them. */
export function tally(): Endpoint {
  const headers = headersOf("script", { cacheControl: "max-age=86400", cors: "any" });
  const load = loadOnce(() => cachedText(script, headers));
  return endpoint({
    summary: "Get the script that counts and shows page views",
    parameters: [],
    errors: "text",
    find: load,
    answer: (answerWith, { request }) => answerWith(request),
    preload: load,
    describe: ({ bodies, cachedText, IF_NONE_MATCH }) => ({
      name: "Tally",
      tags: ["Counters"],
      description: 'For pages of any site. It defines `<tally-mark counter="ID" key="KEY">`, ' +
        "which counts a view when somebody sees the page, and `<tally-top>`.",
      headers: [IF_NONE_MATCH],
      answers: cachedText(
        "The script, which also works as a module.",
        bodies.script,
        "max-age=86400",
      ),
    }),
  });
}
