import { cachedText } from "../http/conditional.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { headersFor } from "../http/response.ts";
import { bodies, fixedText, operation } from "../openapi/responses.ts";
import likeScript from "../browser/built/like.min.js" with { type: "text" };
import tallyScript from "../browser/built/tally.min.js" with { type: "text" };

const CONTROL = "max-age=86400";
const SCRIPT = fixedText("The script, which also works as a module.", bodies.script, CONTROL);

/** `GET /tally.js`: the elements with which any page counts and shows its views. */
export const tally: Endpoint = script(tallyScript, {
  name: "Tally",
  summary: "Get the script that counts and shows page views",
  elements: '`<tally-mark counter="ID" key="KEY">`, ' +
    "which counts a view when somebody sees the page, and `<tally-top>`.",
});

/** `GET /like.js`: the button with which readers like any page. */
export const like: Endpoint = script(likeScript, {
  name: "Like",
  summary: "Get the script of the like button",
  elements: '`<tally-like counter="ID" key="KEY">`, a button that counts one press per reader.',
});

/** Serves a script for pages of any site, which defines elements. */
function script(
  text: string,
  { name, summary, elements }: Readonly<Record<"name" | "summary" | "elements", string>>,
): Endpoint {
  return endpoint("none", {
    summary,
    errors: "text",
    description: `For pages of any site. It defines ${elements}`,
    respond: cachedText(() => Promise.resolve({ text, headers: headersFor("script", CONTROL) })),
    openapi: operation("Counters", name, SCRIPT),
  });
}
