import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { loadOnce } from "../load_once.ts";
import { bodies, fixedText, IF_NONE_MATCH } from "../openapi/responses.ts";
import script from "../page/tally.min.js" with { type: "text" };

/** `GET /tally.js`: the elements with which any page counts and shows its views. */
export function tally(): Endpoint {
  const load = loadOnce(() => cachedText(script, headersFor("script", "max-age=86400")));
  return endpoint("none", {
    summary: "Get the script that counts and shows page views",
    errors: "text",
    respond: async ({ request }) => (await load())(request),
    openapi: {
      name: "Tally",
      tags: ["Counters"],
      description: 'For pages of any site. It defines `<tally-mark counter="ID" key="KEY">`, ' +
        "which counts a view when somebody sees the page, and `<tally-top>`.",
      headers: [IF_NONE_MATCH],
      responses: fixedText(
        "The script, which also works as a module.",
        bodies.script,
        "max-age=86400",
      ),
    },
  });
}
